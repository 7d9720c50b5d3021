/* `subsdk0`: exports a function and data. */
typedef unsigned long u64;
u64 sub_table[4] = {1, 2, 30, 4};
static volatile u64 bias = 5;
u64 sub_square(u64 x) { return x * x + bias; }
__attribute__((constructor)) static void start(void) { bias += 2; }
