#version 450
layout(local_size_x = 1) in;
layout(set = 1, binding = 0) writeonly buffer Out { uint target[]; };
void main() { target[0] = 3u; target[1] = 1u; target[2] = 0u; target[3] = 0u; }
