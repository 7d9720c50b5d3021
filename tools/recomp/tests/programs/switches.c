/* Jump tables of several shapes: dense, sparse, negative cases, 64-bit index, nested, in a loop, computed goto, and an opaque table. */
#include "io.h"
NOINLINE u64 dense(u32 x, u64 a) {
    switch (x) {
    case 0: return a + 3; case 1: return a * 5; case 2: return a ^ 7; case 3: return a - 11; case 4: return a << 3; case 5: return a >> 2;
    case 6: return ~a; case 7: return a * a; case 8: return a + 99; case 9: return a % 13; case 10: return a / 7; case 11: return a | 1;
    default: return a - 1;
    }
}
NOINLINE u64 shifted(int x, u64 a) {
    switch (x) {
    case -4: a += 17; case -3: a *= 3; break; case -2: a ^= 0x55; break; case -1: a -= 9; break; case 0: a += 2; break; case 1: a = a * a + 1; break;
    case 2: a = ~a; break; case 3: a >>= 5; break; case 4: a |= 64; break; default: a = a % 1000; break;
    }
    return a + 1;
}
NOINLINE u64 far(u32 x, u64 a) {
    /* Blocks long enough for 16-bit or 32-bit table entries. */
#define B(n) case n: for (u64 i = 0; i < (a & 3) + n; i++) { a = a * 0x9E3779B97F4A7C15ull + i; a ^= a >> 29; a += n * 77; a ^= a << 11; a -= i * 3; a ^= a >> 7; a *= 31; a += a >> 9; } a ^= n; break;
    switch (x) {
    B(0) B(1) B(2) B(3) B(4) B(5) B(6) B(7) B(8) B(9) B(10) B(11) B(12) B(13) B(14) B(15) B(16) B(17) B(18) B(19) B(20) B(21) B(22) B(23)
    default: a++; break;
    }
    return a;
}
NOINLINE u64 machine(const u8 *code, u64 n) {
    u64 acc = 1, x = 7;
    for (u64 i = 0; i < n; i++) {
        switch (code[i] & 15) {
        case 0: acc += x; break; case 1: acc *= 3; break; case 2: x = acc >> 3; break; case 3: acc ^= x; break; case 4: x += i; break;
        case 5: acc = (acc << 7) | (acc >> 57); break; case 6: x *= acc | 1; break; case 7: acc -= x; break; case 8: acc = ~acc; break;
        case 9: if (acc & 1) i++; break; case 10: x ^= 0xFF; break; case 11: acc += i * i; break; case 12: x >>= 1; break; case 13: acc ^= acc >> 13; break;
        case 14: x = x * x; break; case 15: acc += 5; break;
        }
    }
    return acc ^ x;
}
NOINLINE u64 threaded(const u8 *code) {
    static const void *const labels[] = {&&add, &&mul, &&xor, &&sub, &&rot, &&end};
    u64 a = 3;
    goto *labels[*code++];
add: a += 12; goto *labels[*code++];
mul: a *= 7; goto *labels[*code++];
xor: a ^= 0x1234; goto *labels[*code++];
sub: a -= 5; goto *labels[*code++];
rot: a = a << 9 | a >> 55; goto *labels[*code++];
end: return a;
}
/* A table in writable memory that the program shuffles: it cannot be read at lift time. */
typedef u64 op(u64);
static u64 p0(u64 a) { return a + 1; }
static u64 p1(u64 a) { return a * 3; }
static u64 p2(u64 a) { return a ^ 0xABC; }
static u64 p3(u64 a) { return a - 4; }
static op *opaque[4] = {p0, p1, p2, p3};
NOINLINE u64 jump(u32 i, u64 a) { return opaque[i & 3](a); }
void program(void) {
    u64 h = 1;
    for (u32 i = 0; i < 16; i++) h = dense(i, h) * 31 + i;
    print("dense", h);
    for (int i = -8; i < 8; i++) h = shifted(i, h) * 31;
    print("shifted", h);
    for (u32 i = 0; i < 30; i++) h = far(i, h);
    print("far", h);
    static u8 code[4096];
    u64 s = 5;
    for (int i = 0; i < 4096; i++) { s = s * 6364136223846793005ull + 1442695040888963407ull; code[i] = s >> 40; }
    print("machine", machine(code, 4096));
    for (int i = 0; i < 4095; i++) code[i] %= 5;
    code[4095] = 5;
    print("threaded", threaded(code));
    for (u32 i = 0; i < 100; i++) {
        h = jump(i, h);
        op *t = opaque[i & 3]; opaque[i & 3] = opaque[(i + 1) & 3]; opaque[(i + 1) & 3] = t;
    }
    print("opaque", h);
    finish();
}
