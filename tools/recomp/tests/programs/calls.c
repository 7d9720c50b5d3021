/* Deep mutual tail calls (direct and through pointers), recursion, 256 targets of one call site, flags and state across calls, atomics. */
#include "io.h"
typedef u64 step(u64 n, u64 h);
static step even, odd;
static step *volatile hop[2] = {even, odd};
NOINLINE static u64 odd(u64 n, u64 h);
NOINLINE static u64 even(u64 n, u64 h) { if (!n) return h; __attribute__((musttail)) return odd(n - 1, h * 31 + n); }
NOINLINE static u64 odd(u64 n, u64 h) { if (!n) return ~h; if (n & 2) { __attribute__((musttail)) return hop[0](n - 1, h ^ n); } __attribute__((musttail)) return even(n - 1, h + 7); }
NOINLINE u64 ackermann(u64 m, u64 n) { return !m ? n + 1 : !n ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1)); }
#define F(n) NOINLINE static u64 f##n(u64 a) { return a * (n * 2 + 1) + n; }
#define F4(n) F(n##0) F(n##1) F(n##2) F(n##3)
#define F16(n) F4(n##0) F4(n##1) F4(n##2) F4(n##3)
#define F64(n) F16(n##0) F16(n##1) F16(n##2) F16(n##3)
F64(1) F64(2) F64(3) F64(4)
#define P(n) f##n,
#define P4(n) P(n##0) P(n##1) P(n##2) P(n##3)
#define P16(n) P4(n##0) P4(n##1) P4(n##2) P4(n##3)
#define P64(n) P16(n##0) P16(n##1) P16(n##2) P16(n##3)
static u64 (*const table[256])(u64) = {P64(1) P64(2) P64(3) P64(4)};
static double mix(double a, float b, int c, u64 d, double e, float f) { return a * b + c - (double)d / 3 + e * f; }
static double (*volatile mixed)(double, float, int, u64, double, float) = mix;
static u64 counter;
static u32 word;
static u8 zeroed[256] __attribute__((aligned(64)));
void program(void) {
    print("tail", even(1000000, 1));
    print("recursion", ackermann(2, 9));
    u64 h = 9;
    for (u32 i = 0; i < 1024; i++) h = table[(h >> 7) & 255](h);
    print("table", h);
    double d = 1;
    for (int i = 0; i < 50; i++) d = mixed(d, 1.5f + i, i, h >> 40, d * 0.001, 2.25f);
    print("mixed", __builtin_bit_cast(u64, d));
    for (int i = 0; i < 100; i++) {
        __atomic_fetch_add(&counter, i, __ATOMIC_SEQ_CST);
        __atomic_fetch_xor(&word, i * 77, __ATOMIC_ACQ_REL);
        u32 e = word;
        __atomic_compare_exchange_n(&word, &e, e + 3, 0, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED);
        __atomic_exchange_n(&counter, counter ^ word, __ATOMIC_RELEASE);
    }
    print("atomics", counter ^ ((u64)word << 32));
    unsigned __int128 wide = h;
    for (int i = 0; i < 20; i++) wide = wide * 0x123456789ABCDEFull + (wide >> 61);
    print("wide", (u64)(wide >> 64) ^ (u64)wide);
    for (int i = 0; i < 256; i++) zeroed[i] = (u8)i;
#ifdef __aarch64__
    u64 size;
    __asm__ volatile("mrs %0, dczid_el0" : "=r"(size));
    if ((size & 15) == 4) __asm__ volatile("dc zva, %0" :: "r"(zeroed + 100) : "memory");
    else for (int i = 64; i < 128; i++) zeroed[i] = 0;
#endif
    h = 0;
    for (int i = 0; i < 256; i++) h = h * 31 + zeroed[i];
    print("zva", h);
    finish();
}
