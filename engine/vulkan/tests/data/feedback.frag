#version 450
layout(set = 2, binding = 128) uniform sampler2D source;
layout(location = 0) out vec4 target;
void main() { target = texelFetch(source, ivec2(gl_FragCoord.xy), 0) + vec4(0.25, 0.0, 0.0, 0.0); }
