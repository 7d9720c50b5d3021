#version 450
layout(local_size_x = 64) in;
layout(set = 1, binding = 0) readonly buffer In { uint source[]; };
layout(set = 1, binding = 1) writeonly buffer Out { uint target[]; };
layout(set = 0, binding = 3) uniform Block { uint add; };
void main() { target[gl_GlobalInvocationID.x] = source[gl_GlobalInvocationID.x] * 3u + add; }
