#version 450
layout(set = 0, binding = 131) uniform Block { vec4 color; };
layout(location = 0) out vec4 target;
void main() { target = color; }
