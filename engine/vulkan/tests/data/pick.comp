#version 450
// Stores the larger of two words that it read: the values go through a call and a selection, the source is only read.
layout(local_size_x = 64) in;
layout(set = 1, binding = 0) buffer Source { uint source[]; };
layout(set = 1, binding = 1) buffer Target { uint target[]; };
uint larger(const uint a, const uint b) { return a > b ? a : b; }
void main() {
    uint n = gl_GlobalInvocationID.x;
    target[n] = larger(source[n], source[n ^ 1u]);
}
