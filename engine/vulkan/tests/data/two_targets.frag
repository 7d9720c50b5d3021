#version 450
layout(set = 0, binding = 131) uniform Block { vec4 color; };
layout(location = 0) out vec4 target0;
layout(location = 1) out uvec4 target1;
void main() { target0 = color; target1 = uvec4(1, 2, 3, 4); }
