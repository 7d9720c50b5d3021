/* Output and exit of the test programs: two Linux system calls. */
typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long u64;
typedef long s64;
#define NOINLINE __attribute__((noinline))
static long sys3(long n, long a, long b, long c) {
    register long x8 __asm__("x8") = n, x0 __asm__("x0") = a, x1 __asm__("x1") = b, x2 __asm__("x2") = c;
    __asm__ volatile("svc #0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2) : "memory");
    return x0;
}
static void print(const char *name, u64 v) {
    char line[80];
    int n = 0;
    while (*name) line[n++] = *name++;
    line[n++] = ' ';
    for (int i = 60; i >= 0; i -= 4) line[n++] = "0123456789abcdef"[v >> i & 15];
    line[n++] = '\n';
    sys3(64, 1, (long)line, n);
}
static void finish(void) { sys3(93, 0, 0, 0); __builtin_unreachable(); }
__asm__(".globl _start\n_start: mov x29, #0\n mov x30, #0\n bl program\n brk #0\n");
