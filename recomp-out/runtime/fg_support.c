/* Compiled once per object: calls to the host, floating-point control, dispatch between modules. */
#include "fg_lift.h"

extern FG_HIDDEN const u32 fg_range_count;

fg_function *fg_lookup_other(u64 pc) {
    for (u32 i = 0; i < fg_range_count; i++) {
        u64 offset = pc - fg_ranges[i].begin;
        if (offset < fg_ranges[i].size && !(offset & 3) && fg_ranges[i].entries[offset >> 2]) return fg_ranges[i].entries[offset >> 2];
    }
#ifdef FG_KNOB_NULL_MISS
    return 0;
#else
    return fg_call_host;
#endif
}

/* ---- floating-point control: FPCR.RMode and FZ live in MXCSR while lifted code runs, the host's own value while the host does. */
#define FG_FPCR_HOST 0x01C00000u
#define FG_MXCSR_DEFAULT 0x1F80u

static u32 fg_mxcsr_of(u32 fpcr) {
    static const u32 rounding[4] = {0x0000, 0x4000, 0x2000, 0x6000}; /* nearest, up, down, zero */
    return FG_MXCSR_DEFAULT | rounding[fpcr >> 22 & 3] | (fpcr >> 24 & 1 ? 0x8040u : 0);
}
static void fg_to_host(C *ctx) {
    if (FG_UNLIKELY(ctx->fpcr & FG_FPCR_HOST)) __builtin_ia32_ldmxcsr(FG_MXCSR_DEFAULT);
}
static void fg_to_guest(C *ctx) {
    if (FG_UNLIKELY(ctx->fpcr & FG_FPCR_HOST)) __builtin_ia32_ldmxcsr(fg_mxcsr_of(ctx->fpcr));
}
void fg_write_fpcr(C *ctx, u64 v) {
    ctx->fpcr = (u32)v & 0x07C00000u;
    __builtin_ia32_ldmxcsr(fg_mxcsr_of(ctx->fpcr));
}
/* QC is exact; the IEEE flags are those the host's arithmetic raised since the last write. */
u64 fg_read_fpsr(C *ctx) {
    u32 m = __builtin_ia32_stmxcsr();
    return ctx->fpsr | (m & 1) | (m >> 1 & 0x1E) | (m & 2) << 6;
}
void fg_write_fpsr(C *ctx, u64 v) {
    ctx->fpsr = (u32)v & 0x0800009Fu;
    __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() & ~0x3Fu);
}

/* ---- host calls */
void fg_call_host(C *ctx) {
    fg_to_host(ctx);
    ctx->host->call(ctx, ctx->pc);
    fg_to_guest(ctx);
}
void fg_host_svc(C *ctx, u32 immediate) {
    fg_to_host(ctx);
    ctx->host->svc(ctx, immediate);
    fg_to_guest(ctx);
}
void fg_host_yield(C *ctx) {
    fg_to_host(ctx);
    ctx->host->yield(ctx);
    fg_to_guest(ctx);
}
void fg_yield_call(C *ctx) {
    u64 pc = ctx->pc;
    fg_host_yield(ctx);
    ctx->pc = pc;
}
void fg_host_trap(C *ctx, u64 pc, u32 word, const char *what) {
    fg_to_host(ctx);
    ctx->host->trap(ctx, pc, word, what);
    __builtin_trap();
}
u64 fg_host_read_system_register(C *ctx, u32 which) {
    fg_to_host(ctx);
    u64 v = ctx->host->read_system_register(ctx, which);
    fg_to_guest(ctx);
    return v;
}

/* ---- the manifest's functions */
FG_HIDDEN void fg_attach(const struct fg_host *host) { (void)host; }
FG_HIDDEN void fg_enter(C *ctx, u64 pc) {
    u32 before = __builtin_ia32_stmxcsr();
    ctx->call_depth++;
    ctx->pc = pc;
    fg_to_guest(ctx);
    fg_lookup(pc)(ctx);
    ctx->call_depth--;
    __builtin_ia32_ldmxcsr(before);
}

/* ---- AES: the S-box is computed once */
static u8 fg_sbox[256], fg_inverse_sbox[256];
__attribute__((constructor)) static void fg_make_sbox(void) {
    u8 p = 1, q = 1;
    do {
        p = p ^ (u8)(p << 1) ^ (p & 0x80 ? 0x1B : 0);
        q ^= (u8)(q << 1);
        q ^= (u8)(q << 2);
        q ^= (u8)(q << 4);
        if (q & 0x80) q ^= 0x09;
        u8 x = (u8)(q ^ __builtin_rotateleft8(q, 1) ^ __builtin_rotateleft8(q, 2) ^ __builtin_rotateleft8(q, 3) ^ __builtin_rotateleft8(q, 4) ^ 0x63);
        fg_sbox[p] = x;
        fg_inverse_sbox[x] = p;
    } while (p != 1);
    fg_sbox[0] = 0x63;
    fg_inverse_sbox[0x63] = 0;
}
v128 fg_aes_shift_sub(v128 state, int inverse) {
    u8v s = (u8v)state, r;
    for (int column = 0; column < 4; column++)
        for (int row = 0; row < 4; row++)
            r[column * 4 + row] = inverse ? fg_inverse_sbox[s[((column - row) & 3) * 4 + row]] : fg_sbox[s[((column + row) & 3) * 4 + row]];
    return (v128)r;
}
