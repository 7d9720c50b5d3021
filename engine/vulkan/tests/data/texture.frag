#version 450
layout(set = 2, binding = 128) uniform sampler2D source;
layout(location = 0) in vec2 uv;
layout(location = 0) out vec4 target;
void main() { target = texture(source, uv); }
