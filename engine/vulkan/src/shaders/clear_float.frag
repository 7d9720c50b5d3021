#version 450
// The location is rewritten to that of the target.
layout(push_constant) uniform Value { vec4 value; };
layout(location = 0) out vec4 target;
void main() { target = value; }
