/* `main` of a two-module title: imports from subsdk0, data relocations, constructors, a callback table. */
typedef unsigned long u64;
extern u64 sub_square(u64);
extern u64 sub_table[4];
static volatile u64 order;
static u64 one(u64 x) { return x + 1; }
static u64 two(u64 x) { return x * 2; }
u64 (*const callbacks[])(u64) = {one, two, sub_square};
u64 *far_value = &sub_table[2];
u64 scratch[64];
__attribute__((constructor)) static void first(void) { order = order * 10 + 1; }
__attribute__((constructor)) static void second(void) { order = order * 10 + 2; }
u64 nnMain(void) {
    u64 h = order;
    for (int i = 0; i < 3; i++) h = callbacks[i](h) + *far_value;
    scratch[3] = h;
    return scratch[3];
}
