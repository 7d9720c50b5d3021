#version 450
// The location is rewritten to that of the target.
layout(push_constant) uniform Value { ivec4 value; };
layout(location = 0) out ivec4 target;
void main() { target = value; }
