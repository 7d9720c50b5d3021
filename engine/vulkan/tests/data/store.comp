#version 450
layout(local_size_x = 8, local_size_y = 8) in;
layout(set = 3, binding = 0, rgba8) writeonly uniform image2D target;
void main() { imageStore(target, ivec2(gl_GlobalInvocationID.xy), vec4(vec2(gl_GlobalInvocationID.xy) / 255.0, 0.0, 1.0)); }
