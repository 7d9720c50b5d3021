/* Support code of lifted C: types, memory, flags, scalar arithmetic, calls. Included by every generated file.
 * Clang only: packed may_alias accesses, musttail, vector extensions, __int128. */
#ifndef FG_LIFT_H
#define FG_LIFT_H

#include "ferrograph_abi.h"

#ifndef __clang__
#error "lifted code is compiled with clang (set CC to a clang of version 19 or newer)"
#endif

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int8_t s8;
typedef int16_t s16;
typedef int32_t s32;
typedef int64_t s64;
typedef unsigned __int128 u128;
typedef __int128 s128;
typedef fg_v128 v128;
typedef struct fg_context C;

#define FG_INLINE static inline __attribute__((always_inline, unused))
#define FG_COLD static __attribute__((noinline, cold, unused))
#define FG_LIKELY(x) __builtin_expect(!!(x), 1)
#define FG_UNLIKELY(x) __builtin_expect(!!(x), 0)
#define FG_HIDDEN __attribute__((visibility("hidden")))

/* A guest's tail branch is a tail call of the host. The FG_KNOB names plant the faults that tests of the lifter must see. */
#ifndef FG_KNOB_NESTED_TAIL_CALLS
#define FG_TAIL __attribute__((musttail))
#else
#define FG_TAIL
#endif

/* ---- memory: guest addresses are host addresses, of any alignment */
typedef u8 __attribute__((may_alias)) fg_m8;
typedef struct { u16 v; } __attribute__((packed, may_alias)) fg_m16;
typedef struct { u32 v; } __attribute__((packed, may_alias)) fg_m32;
typedef struct { u64 v; } __attribute__((packed, may_alias)) fg_m64;
typedef struct { v128 v; } __attribute__((packed, may_alias)) fg_m128;

FG_INLINE u64 fg_ld8(u64 a) { return *(const fg_m8 *)a; }
FG_INLINE u64 fg_ld16(u64 a) { return ((const fg_m16 *)a)->v; }
FG_INLINE u64 fg_ld32(u64 a) { return ((const fg_m32 *)a)->v; }
FG_INLINE u64 fg_ld64(u64 a) { return ((const fg_m64 *)a)->v; }
FG_INLINE v128 fg_ld128(u64 a) { return ((const fg_m128 *)a)->v; }
FG_INLINE void fg_st8(u64 a, u64 v) { *(fg_m8 *)a = (u8)v; }
FG_INLINE void fg_st16(u64 a, u64 v) { ((fg_m16 *)a)->v = (u16)v; }
FG_INLINE void fg_st32(u64 a, u64 v) { ((fg_m32 *)a)->v = (u32)v; }
FG_INLINE void fg_st64(u64 a, u64 v) { ((fg_m64 *)a)->v = v; }
FG_INLINE void fg_st128(u64 a, v128 v) { ((fg_m128 *)a)->v = v; }

/* Load-acquire and store-release: naturally aligned by architecture. A store-release followed by a load-acquire stays in order, hence the exchange. */
#define FG_ORDERED(BITS) \
    FG_INLINE u64 fg_lda##BITS(u64 a) { return __atomic_load_n((u##BITS __attribute__((may_alias)) *)a, __ATOMIC_SEQ_CST); } \
    FG_INLINE void fg_stl##BITS(u64 a, u64 v) { __atomic_store_n((u##BITS __attribute__((may_alias)) *)a, (u##BITS)v, __ATOMIC_SEQ_CST); } \
    FG_INLINE u64 fg_swp##BITS(u64 a, u64 v) { return __atomic_exchange_n((u##BITS __attribute__((may_alias)) *)a, (u##BITS)v, __ATOMIC_SEQ_CST); } \
    FG_INLINE u64 fg_ldadd##BITS(u64 a, u64 v) { return __atomic_fetch_add((u##BITS __attribute__((may_alias)) *)a, (u##BITS)v, __ATOMIC_SEQ_CST); } \
    FG_INLINE u64 fg_ldclr##BITS(u64 a, u64 v) { return __atomic_fetch_and((u##BITS __attribute__((may_alias)) *)a, (u##BITS)~v, __ATOMIC_SEQ_CST); } \
    FG_INLINE u64 fg_ldeor##BITS(u64 a, u64 v) { return __atomic_fetch_xor((u##BITS __attribute__((may_alias)) *)a, (u##BITS)v, __ATOMIC_SEQ_CST); } \
    FG_INLINE u64 fg_ldset##BITS(u64 a, u64 v) { return __atomic_fetch_or((u##BITS __attribute__((may_alias)) *)a, (u##BITS)v, __ATOMIC_SEQ_CST); } \
    FG_INLINE u64 fg_cas##BITS(u64 a, u64 expected, u64 v) { \
        u##BITS e = (u##BITS)expected; \
        __atomic_compare_exchange_n((u##BITS __attribute__((may_alias)) *)a, &e, (u##BITS)v, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); \
        return e; \
    } \
    FG_INLINE u64 fg_ldpick##BITS(u64 a, u64 v, int is_signed, int is_max) { \
        u##BITS old = __atomic_load_n((u##BITS __attribute__((may_alias)) *)a, __ATOMIC_SEQ_CST), b = (u##BITS)v, next; \
        do { \
            int less = is_signed ? (s##BITS)old < (s##BITS)b : old < b; \
            next = less == is_max ? b : old; \
        } while (!__atomic_compare_exchange_n((u##BITS __attribute__((may_alias)) *)a, &old, next, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)); \
        return old; \
    } \
    FG_INLINE u64 fg_ldsmax##BITS(u64 a, u64 v) { return fg_ldpick##BITS(a, v, 1, 1); } \
    FG_INLINE u64 fg_ldsmin##BITS(u64 a, u64 v) { return fg_ldpick##BITS(a, v, 1, 0); } \
    FG_INLINE u64 fg_ldumax##BITS(u64 a, u64 v) { return fg_ldpick##BITS(a, v, 0, 1); } \
    FG_INLINE u64 fg_ldumin##BITS(u64 a, u64 v) { return fg_ldpick##BITS(a, v, 0, 0); } \
    /* Exclusives: the loaded value is remembered, the store is one compare-exchange against it. */ \
    FG_INLINE u64 fg_ldx##BITS(C *ctx, u64 a) { \
        u64 v = fg_lda##BITS(a); \
        ctx->exclusive_address = a; \
        ctx->exclusive_value[0] = v; \
        return v; \
    } \
    FG_INLINE u64 fg_stx##BITS(C *ctx, u64 a, u64 v) { \
        u64 armed = ctx->exclusive_address; \
        ctx->exclusive_address = ~0ull; \
        if (armed != a) return 1; \
        u##BITS e = (u##BITS)ctx->exclusive_value[0]; \
        return !__atomic_compare_exchange_n((u##BITS __attribute__((may_alias)) *)a, &e, (u##BITS)v, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); \
    }
FG_ORDERED(8)
FG_ORDERED(16)
FG_ORDERED(32)
FG_ORDERED(64)

#if defined(__GCC_HAVE_SYNC_COMPARE_AND_SWAP_16)
FG_INLINE u128 fg_cas128(u64 a, u128 expected, u128 v) {
    return __sync_val_compare_and_swap((u128 __attribute__((may_alias)) *)a, expected, v);
}
#else
/* cmpxchg16b is in every x86-64 the host runs on, only not in the compiler's lowest level. */
FG_INLINE u128 fg_cas128(u64 a, u128 expected, u128 v) {
    u64 lo = (u64)expected, hi = (u64)(expected >> 64);
    __asm__ volatile("lock cmpxchg16b %2" : "+a"(lo), "+d"(hi), "+m"(*(u128 *)a) : "b"((u64)v), "c"((u64)(v >> 64)) : "cc", "memory");
    return (u128)hi << 64 | lo;
}
#endif
/* LDXP of two doublewords: read as one, so that a later STXP compares both. */
FG_INLINE void fg_ldxp64(C *ctx, u64 a, u64 *lo, u64 *hi) {
    u128 v = fg_cas128(a, 0, 0);
    ctx->exclusive_address = a;
    ctx->exclusive_value[0] = *lo = (u64)v;
    ctx->exclusive_value[1] = *hi = (u64)(v >> 64);
}
FG_INLINE u64 fg_stxp64(C *ctx, u64 a, u64 lo, u64 hi) {
    u64 armed = ctx->exclusive_address;
    ctx->exclusive_address = ~0ull;
    if (armed != a) return 1;
    u128 e = (u128)ctx->exclusive_value[1] << 64 | ctx->exclusive_value[0];
    return fg_cas128(a, e, (u128)hi << 64 | lo) != e;
}
FG_INLINE void fg_ldxp32(C *ctx, u64 a, u64 *lo, u64 *hi) {
    u64 v = fg_ldx64(ctx, a);
    *lo = (u32)v;
    *hi = v >> 32;
}
FG_INLINE u64 fg_stxp32(C *ctx, u64 a, u64 lo, u64 hi) { return fg_stx64(ctx, a, (u32)lo | hi << 32); }
FG_INLINE void fg_dc_zva(u64 a) { __builtin_memset((void *)(a & ~63ull), 0, 64); }
#define FG_FENCE() __atomic_thread_fence(__ATOMIC_SEQ_CST)

/* ---- flags: computed from the operands of the last setter; bits 31..28 when stored */
FG_INLINE u32 fg_nz32(u32 r) { return (r & 0x80000000u) | (u32)(r == 0) << 30; }
FG_INLINE u32 fg_nz64(u64 r) { return (u32)(r >> 63) << 31 | (u32)(r == 0) << 30; }
FG_INLINE u32 fg_nzcv_sub64(u64 a, u64 b) {
    u64 r = a - b;
    return fg_nz64(r) | (u32)(a >= b) << 29 | (u32)(((a ^ b) & (a ^ r)) >> 63) << 28;
}
FG_INLINE u32 fg_nzcv_sub32(u64 a64, u64 b64) {
    u32 a = (u32)a64, b = (u32)b64, r = a - b;
    return fg_nz32(r) | (u32)(a >= b) << 29 | (((a ^ b) & (a ^ r)) >> 31) << 28;
}
FG_INLINE u32 fg_nzcv_add64(u64 a, u64 b) {
    u64 r = a + b;
    return fg_nz64(r) | (u32)(r < a) << 29 | (u32)((~(a ^ b) & (a ^ r)) >> 63) << 28;
}
FG_INLINE u32 fg_nzcv_add32(u64 a64, u64 b64) {
    u32 a = (u32)a64, b = (u32)b64, r = a + b;
    return fg_nz32(r) | (u32)(r < a) << 29 | ((~(a ^ b) & (a ^ r)) >> 31) << 28;
}
FG_INLINE u32 fg_nzcv_adc64(u64 a, u64 b, u32 c) {
    u64 r = a + b + c;
    return fg_nz64(r) | (u32)(((u128)a + b + c) >> 64) << 29 | (u32)((~(a ^ b) & (a ^ r)) >> 63) << 28;
}
FG_INLINE u32 fg_nzcv_adc32(u64 a64, u64 b64, u32 c) {
    u32 a = (u32)a64, b = (u32)b64, r = a + b + c;
    return fg_nz32(r) | (u32)(((u64)a + b + c) >> 32) << 29 | ((~(a ^ b) & (a ^ r)) >> 31) << 28;
}
FG_INLINE int fg_cond(u32 nzcv, u32 cond) {
    u32 n = nzcv >> 31, z = nzcv >> 30 & 1, c = nzcv >> 29 & 1, v = nzcv >> 28 & 1, r;
    switch (cond >> 1) {
    case 0: r = z; break;
    case 1: r = c; break;
    case 2: r = n; break;
    case 3: r = v; break;
    case 4: r = c & !z; break;
    case 5: r = n == v; break;
    case 6: r = (n == v) & !z; break;
    default: return 1;
    }
    return (int)(r ^ (cond & 1));
}

/* ---- integer arithmetic */
FG_INLINE u64 fg_udiv64(u64 a, u64 b) { return b ? a / b : 0; }
FG_INLINE u64 fg_udiv32(u64 a, u64 b) { return (u32)b ? (u32)a / (u32)b : 0; }
FG_INLINE u64 fg_sdiv64(u64 a, u64 b) { return b == 0 ? 0 : b == ~0ull ? -a : (u64)((s64)a / (s64)b); }
FG_INLINE u64 fg_sdiv32(u64 a, u64 b) { return (u32)b == 0 ? 0 : (u32)b == ~0u ? -(u32)a : (u32)((s32)a / (s32)b); }
FG_INLINE u64 fg_lslv64(u64 a, u64 b) { return a << (b & 63); }
FG_INLINE u64 fg_lslv32(u64 a, u64 b) { return (u32)a << (b & 31); }
FG_INLINE u64 fg_lsrv64(u64 a, u64 b) { return a >> (b & 63); }
FG_INLINE u64 fg_lsrv32(u64 a, u64 b) { return (u32)a >> (b & 31); }
FG_INLINE u64 fg_asrv64(u64 a, u64 b) { return (u64)((s64)a >> (b & 63)); }
FG_INLINE u64 fg_asrv32(u64 a, u64 b) { return (u32)((s32)a >> (b & 31)); }
FG_INLINE u64 fg_rorv64(u64 a, u64 b) { return __builtin_rotateright64(a, b & 63); }
FG_INLINE u64 fg_rorv32(u64 a, u64 b) { return __builtin_rotateright32((u32)a, (u32)b & 31); }
FG_INLINE u64 fg_umulh(u64 a, u64 b) { return (u64)(((u128)a * b) >> 64); }
FG_INLINE u64 fg_smulh(u64 a, u64 b) { return (u64)(((s128)(s64)a * (s64)b) >> 64); }
FG_INLINE u64 fg_rbit64(u64 a) { return __builtin_bitreverse64(a); }
FG_INLINE u64 fg_rbit32(u64 a) { return __builtin_bitreverse32((u32)a); }
FG_INLINE u64 fg_rev64(u64 a) { return __builtin_bswap64(a); }
FG_INLINE u64 fg_rev32(u64 a) { return __builtin_bswap32((u32)a); }
FG_INLINE u64 fg_rev3264(u64 a) { return __builtin_rotateleft64(__builtin_bswap64(a), 32); }
FG_INLINE u64 fg_rev1664(u64 a) { return (a & 0x00FF00FF00FF00FFull) << 8 | (a >> 8 & 0x00FF00FF00FF00FFull); }
FG_INLINE u64 fg_rev1632(u64 a) { return (u32)fg_rev1664((u32)a); }
FG_INLINE u64 fg_clz64(u64 a) { return a ? (u64)__builtin_clzll(a) : 64; }
FG_INLINE u64 fg_clz32(u64 a) { return (u32)a ? (u64)__builtin_clz((u32)a) : 32; }
FG_INLINE u64 fg_cls64(u64 a) { return fg_clz64((a ^ (u64)((s64)a >> 1)) & ~(1ull << 63)) - 1; }
FG_INLINE u64 fg_cls32(u64 a) { return fg_clz32(((u32)a ^ (u32)((s32)a >> 1)) & ~(1u << 31)) - 1; }
FG_INLINE u64 fg_crc32_step(u32 poly, u32 crc, u64 v, u32 bits) {
    for (u32 i = 0; i < bits; i += 8) {
        crc ^= (u8)(v >> i);
        for (int k = 0; k < 8; k++) crc = crc >> 1 ^ (poly & -(crc & 1));
    }
    return crc;
}
#define fg_crc32(crc, v, bits) fg_crc32_step(0xEDB88320u, (u32)(crc), v, bits)
#if defined(__SSE4_2__)
FG_INLINE u64 fg_crc32c(u64 crc, u64 v, u32 bits) {
    return bits == 8 ? __builtin_ia32_crc32qi((u32)crc, (u8)v) : bits == 16 ? __builtin_ia32_crc32hi((u32)crc, (u16)v)
        : bits == 32 ? __builtin_ia32_crc32si((u32)crc, (u32)v) : __builtin_ia32_crc32di((u32)crc, v);
}
#else
#define fg_crc32c(crc, v, bits) fg_crc32_step(0x82F63B78u, (u32)(crc), v, bits)
#endif

/* ---- calls */
typedef void fg_function(C *ctx);
/* Hands ctx->pc to the host: a host function, unlifted code or a wild pointer. */
FG_HIDDEN fg_function fg_call_host;
/* One text range per module, main first. */
struct fg_range { u64 begin, size; fg_function *const *entries; };
FG_HIDDEN extern const struct fg_range fg_ranges[];
FG_HIDDEN fg_function *fg_lookup_other(u64 pc);
/* Entry for a guest address: lifted code, or fg_call_host. */
FG_INLINE fg_function *fg_lookup(u64 pc) {
    u64 offset = pc - fg_ranges[0].begin;
    if (FG_LIKELY(offset < fg_ranges[0].size && !(offset & 3))) {
        fg_function *f = fg_ranges[0].entries[offset >> 2];
        if (FG_LIKELY(f)) return f;
    }
    return fg_lookup_other(pc);
}
/* Host calls run under the host's floating-point mode. */
FG_HIDDEN void fg_host_svc(C *ctx, u32 immediate);
FG_HIDDEN void fg_host_yield(C *ctx) __attribute__((cold));
/* The same while ctx->pc holds the target of a dispatch. */
FG_HIDDEN void fg_yield_call(C *ctx) __attribute__((cold));
FG_HIDDEN void fg_host_trap(C *ctx, u64 pc, u32 word, const char *what) __attribute__((cold, noreturn));
FG_HIDDEN u64 fg_host_read_system_register(C *ctx, u32 which);
FG_HIDDEN void fg_write_fpcr(C *ctx, u64 v);
FG_HIDDEN u64 fg_read_fpsr(C *ctx);
FG_HIDDEN void fg_write_fpsr(C *ctx, u64 v);

/* The loop poll: memory that another thread changes is read again in the next round. */
FG_INLINE int fg_poll(C *ctx) {
    __asm__ volatile("" ::: "memory");
    return FG_UNLIKELY(*(volatile u32 *)&ctx->yield_requested);
}

#include "fg_fp.h"
#include "fg_simd.h"

#endif
