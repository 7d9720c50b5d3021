/* Scalar floating point. The fast path is host arithmetic; where x86 differs (default NaN sign, choice of the propagated NaN, conversion
 * overflow, min/max) the result is repaired out of line. FPCR.DN is honoured there; rounding mode and FZ are set in MXCSR by fg_write_fpcr. */
#ifndef FG_FP_H
#define FG_FP_H

#define FG_FPCR_DN 0x02000000u
#define FG_FPSR_QC 0x08000000u

/* Where a NaN needs the guest's rule. */
#ifndef FG_KNOB_HOST_FLOAT
#define FG_IS_NAN(x) FG_UNLIKELY(x)
#else
#define FG_IS_NAN(x) 0
#endif

typedef float f32;
typedef double f64;
typedef f32 f32x4 __attribute__((vector_size(16)));
typedef f64 f64x2 __attribute__((vector_size(16)));
typedef u32 u32x4 __attribute__((vector_size(16)));

FG_INLINE f32 fg_gs(v128 v) { return ((f32x4)v)[0]; }
FG_INLINE f64 fg_gd(v128 v) { return ((f64x2)v)[0]; }
FG_INLINE v128 fg_vs(f32 f) { return (v128)(f32x4){f, 0, 0, 0}; }
FG_INLINE v128 fg_vd(f64 f) { return (v128)(f64x2){f, 0}; }
FG_INLINE u32 fg_b32(f32 f) { return __builtin_bit_cast(u32, f); }
FG_INLINE u64 fg_b64(f64 f) { return __builtin_bit_cast(u64, f); }
FG_INLINE f32 fg_f32(u32 b) { return __builtin_bit_cast(f32, b); }
FG_INLINE f64 fg_f64(u64 b) { return __builtin_bit_cast(f64, b); }

/* NaN rules by width: U unsigned type, F float type, Q quiet bit, I infinity. */
#define FG_NAN_RULES(N, U, F, Q, I, SIGN, B, M) \
    FG_INLINE int fg_isnan##N(U b) { return (b & ~(SIGN)) > (I); } \
    FG_INLINE int fg_issnan##N(U b) { return fg_isnan##N(b) && !(b & (Q)); } \
    /* Result of an operation on a and b that gave a NaN. */ \
    FG_COLD U fg_nan2b##N(C *ctx, U a, U b) { \
        U r = fg_issnan##N(a) ? a | (Q) : fg_issnan##N(b) ? b | (Q) : fg_isnan##N(a) ? a : fg_isnan##N(b) ? b : ((I) | (Q)); \
        return ctx->fpcr & FG_FPCR_DN ? ((I) | (Q)) : r; \
    } \
    /* The same for addend + n * m. */ \
    FG_COLD U fg_nan3b##N(C *ctx, U a, U n, U m) { \
        U r; \
        int invalid = ((n & ~(SIGN)) == (I) && (m & ~(SIGN)) == 0) || ((m & ~(SIGN)) == (I) && (n & ~(SIGN)) == 0); \
        if (fg_issnan##N(a)) r = a | (Q); \
        else if (fg_issnan##N(n)) r = n | (Q); \
        else if (fg_issnan##N(m)) r = m | (Q); \
        else if (fg_isnan##N(a)) r = invalid ? ((I) | (Q)) : a; \
        else r = fg_isnan##N(n) ? n : fg_isnan##N(m) ? m : ((I) | (Q)); \
        return ctx->fpcr & FG_FPCR_DN ? ((I) | (Q)) : r; \
    } \
    FG_INLINE F fg_nan2f##N(C *ctx, F a, F b) { return M(fg_nan2b##N(ctx, B(a), B(b))); } \
    FG_INLINE F fg_nan1f##N(C *ctx, F a) { return M(fg_nan2b##N(ctx, B(a), B(a))); } \
    FG_INLINE F fg_fmov##N(C *ctx, F a) { return a; } \
    FG_INLINE F fg_fabs##N(C *ctx, F a) { return M(B(a) & ~(SIGN)); } \
    FG_INLINE F fg_fneg##N(C *ctx, F a) { return M(B(a) ^ (SIGN)); } \
    FG_INLINE F fg_fadd##N(C *ctx, F a, F b) { F r = a + b; if (FG_IS_NAN(r != r)) r = fg_nan2f##N(ctx, a, b); return r; } \
    FG_INLINE F fg_fsub##N(C *ctx, F a, F b) { F r = a - b; if (FG_IS_NAN(r != r)) r = fg_nan2f##N(ctx, a, b); return r; } \
    FG_INLINE F fg_fmul##N(C *ctx, F a, F b) { F r = a * b; if (FG_IS_NAN(r != r)) r = fg_nan2f##N(ctx, a, b); return r; } \
    FG_INLINE F fg_fdiv##N(C *ctx, F a, F b) { F r = a / b; if (FG_IS_NAN(r != r)) r = fg_nan2f##N(ctx, a, b); return r; } \
    FG_INLINE F fg_fnmul##N(C *ctx, F a, F b) { return M(B(fg_fmul##N(ctx, a, b)) ^ (SIGN)); } \
    FG_INLINE F fg_fmadd##N(C *ctx, F a, F n, F m) { \
        F r = __builtin_elementwise_fma(n, m, a); \
        if (FG_IS_NAN(r != r)) r = M(fg_nan3b##N(ctx, B(a), B(n), B(m))); \
        return r; \
    } \
    FG_INLINE F fg_fmax##N(C *ctx, F a, F b) { \
        if (FG_IS_NAN(a != a || b != b)) return fg_nan2f##N(ctx, a, b); \
        return a == b ? M(B(a) & B(b)) : a > b ? a : b; \
    } \
    FG_INLINE F fg_fmin##N(C *ctx, F a, F b) { \
        if (FG_IS_NAN(a != a || b != b)) return fg_nan2f##N(ctx, a, b); \
        return a == b ? M(B(a) | B(b)) : a < b ? a : b; \
    } \
    FG_INLINE F fg_fmaxnm##N(C *ctx, F a, F b) { \
        if (FG_UNLIKELY(a != a && b == b && (B(a) & (Q)))) return b; \
        if (FG_UNLIKELY(b != b && a == a && (B(b) & (Q)))) return a; \
        return fg_fmax##N(ctx, a, b); \
    } \
    FG_INLINE F fg_fminnm##N(C *ctx, F a, F b) { \
        if (FG_UNLIKELY(a != a && b == b && (B(a) & (Q)))) return b; \
        if (FG_UNLIKELY(b != b && a == a && (B(b) & (Q)))) return a; \
        return fg_fmin##N(ctx, a, b); \
    } \
    FG_INLINE int fg_mulx_special##N(F a, F b) { \
        U x = B(a) & ~(SIGN), y = B(b) & ~(SIGN); \
        return (x == (I) && y == 0) || (y == (I) && x == 0); \
    } \
    FG_INLINE F fg_fmulx##N(C *ctx, F a, F b) { \
        if (FG_UNLIKELY(fg_mulx_special##N(a, b))) return M(((B(a) ^ B(b)) & (SIGN)) | B((F)2)); \
        return fg_fmul##N(ctx, a, b); \
    } \
    FG_INLINE F fg_fabd##N(C *ctx, F a, F b) { return M(B(fg_fsub##N(ctx, a, b)) & ~(SIGN)); } \
    /* Newton steps: the first operand is negated, so that its NaN carries the flipped sign. */ \
    FG_INLINE F fg_frecps##N(C *ctx, F a, F b) { \
        F n = M(B(a) ^ (SIGN)); \
        if (n != n || b != b) return fg_nan2f##N(ctx, n, b); \
        if (fg_mulx_special##N(n, b)) return (F)2; \
        return __builtin_elementwise_fma(n, b, (F)2); \
    } \
    FG_INLINE F fg_frsqrts##N(C *ctx, F a, F b) { \
        F n = M(B(a) ^ (SIGN)); \
        if (n != n || b != b) return fg_nan2f##N(ctx, n, b); \
        if (fg_mulx_special##N(n, b)) return (F)1.5; \
        /* (3 - a * b) / 2 with one rounding: halving the larger factor is exact. */ \
        int first = (B(n) & ~(SIGN)) > (B(b) & ~(SIGN)); \
        return __builtin_elementwise_fma(first ? n * (F)0.5 : n, first ? b : b * (F)0.5, (F)1.5); \
    } \
    FG_INLINE F fg_fsqrt##N(C *ctx, F a) { F r = __builtin_elementwise_sqrt(a); if (FG_IS_NAN(r != r)) r = fg_nan1f##N(ctx, a); return r; } \
    FG_INLINE F fg_round_fix##N(C *ctx, F r, F a) { return FG_UNLIKELY(a != a) ? fg_nan1f##N(ctx, a) : r; } \
    FG_INLINE F fg_frintn##N(C *ctx, F a) { return fg_round_fix##N(ctx, __builtin_elementwise_roundeven(a), a); } \
    FG_INLINE F fg_frintp##N(C *ctx, F a) { return fg_round_fix##N(ctx, __builtin_elementwise_ceil(a), a); } \
    FG_INLINE F fg_frintm##N(C *ctx, F a) { return fg_round_fix##N(ctx, __builtin_elementwise_floor(a), a); } \
    FG_INLINE F fg_frintz##N(C *ctx, F a) { return fg_round_fix##N(ctx, __builtin_elementwise_trunc(a), a); } \
    /* Ties away from zero: truncate, then step when the exact difference is a half or more. */ \
    FG_INLINE F fg_frinta##N(C *ctx, F a) { \
        F t = __builtin_elementwise_trunc(a), d = a - t; \
        F r = d >= (F)0.5 ? t + (F)1 : d <= (F)-0.5 ? t - (F)1 : t; \
        return fg_round_fix##N(ctx, M((B(r) & ~(SIGN)) | (B(a) & (SIGN))), a); \
    } \
    FG_INLINE F fg_frintx##N(C *ctx, F a) { return fg_round_fix##N(ctx, __builtin_elementwise_rint(a), a); } \
    FG_INLINE F fg_frinti##N(C *ctx, F a) { return fg_round_fix##N(ctx, __builtin_elementwise_nearbyint(a), a); } \
    FG_INLINE u32 fg_nzcv_fcmp##N(F a, F b) { \
        return a != a || b != b ? 0x30000000u : a == b ? 0x60000000u : a < b ? 0x80000000u : 0x20000000u; \
    } \
    FG_INLINE U fg_fcmeq##N(C *ctx, F a, F b) { return a == b ? (U)-1 : 0; } \
    FG_INLINE U fg_fcmge##N(C *ctx, F a, F b) { return a >= b ? (U)-1 : 0; } \
    FG_INLINE U fg_fcmgt##N(C *ctx, F a, F b) { return a > b ? (U)-1 : 0; } \
    FG_INLINE U fg_facge##N(C *ctx, F a, F b) { return M(B(a) & ~(SIGN)) >= M(B(b) & ~(SIGN)) ? (U)-1 : 0; } \
    FG_INLINE U fg_facgt##N(C *ctx, F a, F b) { return M(B(a) & ~(SIGN)) > M(B(b) & ~(SIGN)) ? (U)-1 : 0; } \
    FG_INLINE U fg_fcmeq0##N(C *ctx, F a) { return a == 0 ? (U)-1 : 0; } \
    FG_INLINE U fg_fcmge0##N(C *ctx, F a) { return a >= 0 ? (U)-1 : 0; } \
    FG_INLINE U fg_fcmgt0##N(C *ctx, F a) { return a > 0 ? (U)-1 : 0; } \
    FG_INLINE U fg_fcmle0##N(C *ctx, F a) { return a <= 0 ? (U)-1 : 0; } \
    FG_INLINE U fg_fcmlt0##N(C *ctx, F a) { return a < 0 ? (U)-1 : 0; } \
    /* To integer: `a` is integral already; NaN gives 0, overflow the nearest end. */ \
    FG_INLINE u64 fg_sat_s64_##N(F a) { \
        if (FG_LIKELY(a >= (F)-9223372036854775808.0 && a < (F)9223372036854775808.0)) return (u64)(s64)a; \
        return a != a ? 0 : a < 0 ? 1ull << 63 : ~0ull >> 1; \
    } \
    FG_INLINE u64 fg_sat_u64_##N(F a) { \
        if (FG_LIKELY(a >= 0 && a < (F)9223372036854775808.0)) return (u64)(s64)a; \
        if (!(a > 0)) return 0; \
        return a >= (F)18446744073709551616.0 ? ~0ull : (u64)(s64)(a - (F)9223372036854775808.0) + (1ull << 63); \
    } \
    FG_INLINE u64 fg_sat_s32_##N(F a) { \
        f64 d = a; \
        if (FG_LIKELY(d > -2147483649.0 && d < 2147483648.0)) return (u32)(s32)d; \
        return d != d ? 0 : d < 0 ? 0x80000000u : 0x7FFFFFFFu; \
    } \
    FG_INLINE u64 fg_sat_u32_##N(F a) { \
        f64 d = a; \
        if (FG_LIKELY(d > -1.0 && d < 4294967296.0)) return (u32)(s64)d; \
        return d > 0 ? 0xFFFFFFFFu : 0; \
    } \
    FG_INLINE F fg_rn_n##N(F a) { return __builtin_elementwise_roundeven(a); } \
    FG_INLINE F fg_rn_p##N(F a) { return __builtin_elementwise_ceil(a); } \
    FG_INLINE F fg_rn_m##N(F a) { return __builtin_elementwise_floor(a); } \
    FG_INLINE F fg_rn_z##N(F a) { return a; } \
    FG_INLINE F fg_rn_a##N(F a) { \
        F t = __builtin_elementwise_trunc(a), d = a - t; \
        return d >= (F)0.5 ? t + (F)1 : d <= (F)-0.5 ? t - (F)1 : t; \
    }
FG_NAN_RULES(32, u32, f32, 0x00400000u, 0x7F800000u, 0x80000000u, fg_b32, fg_f32)
FG_NAN_RULES(64, u64, f64, 0x0008000000000000ull, 0x7FF0000000000000ull, 0x8000000000000000ull, fg_b64, fg_f64)

/* Conditions straight from the operands of a floating-point compare (unordered: N=0 Z=0 C=1 V=1). */
#define FG_FCC_eq(a, b) ((a) == (b))
#define FG_FCC_cs(a, b) (!((a) < (b)))
#define FG_FCC_mi(a, b) ((a) < (b))
#define FG_FCC_vs(a, b) __builtin_isunordered(a, b)
#define FG_FCC_hi(a, b) (!((a) <= (b)))
#define FG_FCC_ge(a, b) ((a) >= (b))
#define FG_FCC_gt(a, b) ((a) > (b))

/* ---- unsigned integers: one signed conversion, so that the rounding mode is honoured (the compiler's own sequence gives -0 for 0 when rounding down) */
FG_INLINE f32 fg_u32_f32(u32 x) { return (f32)(s64)x; }
FG_INLINE f64 fg_u32_f64(u32 x) { return (f64)(s64)x; }
FG_INLINE f32 fg_u64_f32(u64 x) { return FG_LIKELY((s64)x >= 0) ? (f32)(s64)x : (f32)(s64)(x >> 1 | (x & 1)) * 2; }
FG_INLINE f64 fg_u64_f64(u64 x) { return FG_LIKELY((s64)x >= 0) ? (f64)(s64)x : (f64)(s64)(x >> 1 | (x & 1)) * 2; }

/* ---- precision conversions */
FG_INLINE f64 fg_fcvt_s_d(C *ctx, f32 a) {
    if (FG_UNLIKELY(a != a)) {
        u32 b = fg_b32(a);
        if (ctx->fpcr & FG_FPCR_DN) return fg_f64(0x7FF8000000000000ull);
        return fg_f64((u64)(b & 0x80000000u) << 32 | 0x7FF8000000000000ull | (u64)(b & 0x3FFFFF) << 29);
    }
    return a;
}
FG_INLINE f32 fg_fcvt_d_s(C *ctx, f64 a) {
    if (FG_UNLIKELY(a != a)) {
        u64 b = fg_b64(a);
        if (ctx->fpcr & FG_FPCR_DN) return fg_f32(0x7FC00000u);
        return fg_f32((u32)(b >> 32 & 0x80000000u) | 0x7FC00000u | (u32)(b >> 29 & 0x3FFFFF));
    }
    return (f32)a;
}
FG_INLINE u64 fg_half_to_d(C *ctx, u32 h) {
    u64 sign = (u64)(h & 0x8000) << 48;
    u32 e = h >> 10 & 31, m = h & 0x3FF;
    if (e == 31) {
        if (!m) return sign | 0x7FF0000000000000ull;
        return ctx->fpcr & FG_FPCR_DN ? 0x7FF8000000000000ull : (sign | 0x7FF8000000000000ull | (u64)(m & 0x1FF) << 42);
    }
    if (!e) return sign | fg_b64((f64)m * 0x1p-24);
    return sign | (u64)(e + 1008) << 52 | (u64)m << 42;
}
/* Double to half in one rounding, by FPCR.RMode; also exact for singles. */
FG_INLINE u32 fg_d_to_half(C *ctx, u64 b) {
    u32 sign = (u32)(b >> 48) & 0x8000, mode = ctx->fpcr >> 22 & 3;
    u64 mag = b & ~(1ull << 63);
    if (mag > 0x7FF0000000000000ull) return ctx->fpcr & FG_FPCR_DN ? 0x7E00 : (sign | 0x7E00 | (u32)(mag >> 42 & 0x1FF));
    if (mag == 0x7FF0000000000000ull) return sign | 0x7C00;
    if (!mag) return sign;
    s32 e = (s32)(mag >> 52) - 1023;
    u64 m = (mag & 0xFFFFFFFFFFFFFull) | (e == -1023 ? 0 : 1ull << 52);
    if (e == -1023) e = -1022;
    u32 shift = 42, h;
    if (e < -14) {
        u32 extra = (u32)(-14 - e);
        shift += extra > 20 ? 20 : extra;
        h = 0;
    } else {
        h = (u32)(e + 15) << 10;
    }
    u64 rest = m & ((1ull << shift) - 1), half = 1ull << (shift - 1);
    u32 kept = (u32)(m >> shift);
    h += h ? kept - 0x400 : kept;
    int up = mode == 0 ? rest > half || (rest == half && (h & 1)) : mode == 1 ? rest && !sign : mode == 2 ? rest && sign : 0;
    h += (u32)up;
    if (h >= 0x7C00) h = mode == 3 || (mode == 1 && sign) || (mode == 2 && !sign) ? 0x7BFF : 0x7C00;
    return sign | h;
}
FG_INLINE f64 fg_fcvt_h_d(C *ctx, u32 h) { return fg_f64(fg_half_to_d(ctx, h)); }
FG_INLINE f32 fg_fcvt_h_s(C *ctx, u32 h) { return fg_fcvt_d_s(ctx, fg_f64(fg_half_to_d(ctx, h))); }
FG_INLINE u32 fg_fcvt_d_h(C *ctx, f64 a) { return fg_d_to_half(ctx, fg_b64(a)); }
FG_INLINE u32 fg_fcvt_s_h(C *ctx, f32 a) { return fg_d_to_half(ctx, fg_b64(fg_fcvt_s_d(ctx, a))); }
/* Round to odd, for a second rounding without double-rounding error. */
FG_INLINE f32 fg_fcvtxn(C *ctx, f64 a) {
    if (a != a) return fg_fcvt_d_s(ctx, a);
    u64 mag = fg_b64(a) & ~(1ull << 63);
    u32 sign = (u32)(fg_b64(a) >> 32) & 0x80000000u;
    if (mag >= 0x47F0000000000000ull) return fg_f32(sign | (mag >= 0x7FF0000000000000ull ? 0x7F800000u : 0x7F7FFFFFu));
    s32 e = (s32)(mag >> 52) - 1023;
    u64 m = (mag & 0xFFFFFFFFFFFFFull) | (mag >> 52 ? 1ull << 52 : 0);
    u32 shift = 29, r = 0;
    if (e < -126) {
        u32 extra = (u32)(-126 - e);
        shift += extra > 34 ? 34 : extra;
    } else {
        r = (u32)(e + 126) << 23;
    }
    return fg_f32(sign | (r + (u32)(m >> shift)) | ((m & ((1ull << shift) - 1)) != 0));
}

/* ---- estimates: the architecture's tables, computed */
FG_INLINE u32 fg_recip_estimate(u32 a) { /* 9-bit input 256..511 */
    a = a * 2 + 1;
    u32 b = (1u << 19) / a;
    return (b + 1) / 2;
}
FG_INLINE u32 fg_rsqrt_estimate(u32 a) { /* 9-bit input 128..511 */
    if (a < 256) a = a * 2 + 1;
    else a = (a >> 1 << 1) * 2 + 2;
    u32 b = 512;
    while ((u64)a * (b + 1) * (b + 1) < 1ull << 28) b++;
    return (b + 1) / 2;
}
#define FG_ESTIMATES(N, U, F, EXP_BITS, FRAC, B, M) \
    FG_INLINE F fg_frecpe##N(C *ctx, F f) { \
        const U sign_bit = (U)1 << (N - 1), frac_mask = ((U)1 << FRAC) - 1; \
        const s32 bias = (1 << (EXP_BITS - 1)) - 1; \
        U b = B(f), sign = b & sign_bit, mag = b & ~sign_bit; \
        if (fg_isnan##N(b)) return fg_nan1f##N(ctx, f); \
        if (mag == (((U)1 << EXP_BITS) - 1) << FRAC) return M(sign); \
        if (mag == 0) return M(sign | (((U)1 << EXP_BITS) - 1) << FRAC); \
        /* Below 2^-128 (2^-1024): overflow, to infinity or the largest number by rounding mode. */ \
        if (mag < (U)1 << (FRAC - 2)) { \
            u32 mode = ctx->fpcr >> 22 & 3; \
            int inf = mode == 0 || (mode == 1 && !sign) || (mode == 2 && sign); \
            return M(sign | ((((U)1 << EXP_BITS) - 1) << FRAC) - (inf ? 0 : 1)); \
        } \
        s32 e = (s32)(mag >> FRAC); \
        U frac = mag & frac_mask; \
        if (ctx->fpcr >> 24 & 1 && e >= 2 * bias - 1) return M(sign); \
        if (e == 0) { \
            if (frac >> (FRAC - 1)) frac = frac << 1 & frac_mask; \
            else { e = -1; frac = frac << 2 & frac_mask; } \
        } \
        u32 est = fg_recip_estimate(256u | (u32)(frac >> (FRAC - 8))); \
        s32 re = 2 * bias - 1 - e; \
        U rf = (U)(est & 255) << (FRAC - 8); \
        if (re == 0) rf = rf >> 1 | (U)1 << (FRAC - 1); \
        else if (re == -1) { rf = rf >> 2 | (U)1 << (FRAC - 2); re = 0; } \
        return M(sign | (U)re << FRAC | rf); \
    } \
    FG_INLINE F fg_frsqrte##N(C *ctx, F f) { \
        const U sign_bit = (U)1 << (N - 1), frac_mask = ((U)1 << FRAC) - 1; \
        const s32 bias = (1 << (EXP_BITS - 1)) - 1; \
        U b = B(f), sign = b & sign_bit, mag = b & ~sign_bit; \
        if (fg_isnan##N(b)) return fg_nan1f##N(ctx, f); \
        if (mag == 0) return M(sign | (((U)1 << EXP_BITS) - 1) << FRAC); \
        if (sign) return M(((((U)1 << EXP_BITS) - 1) << FRAC) | (U)1 << (FRAC - 1)); \
        if (mag == (((U)1 << EXP_BITS) - 1) << FRAC) return M((U)0); \
        s32 e = (s32)(mag >> FRAC); \
        U frac = mag & frac_mask; \
        if (e == 0) { \
            while (!(frac >> (FRAC - 1))) { frac = frac << 1 & frac_mask; e--; } \
            frac = frac << 1 & frac_mask; \
        } \
        u32 scaled = e & 1 ? 128u | (u32)(frac >> (FRAC - 7)) : 256u | (u32)(frac >> (FRAC - 8)); \
        u32 est = fg_rsqrt_estimate(scaled); \
        s32 re = (3 * bias - 1 - e) >> 1; \
        return M((U)re << FRAC | (U)(est & 255) << (FRAC - 8)); \
    } \
    FG_INLINE F fg_frecpx##N(C *ctx, F f) { \
        const U sign_bit = (U)1 << (N - 1), exp_mask = (((U)1 << EXP_BITS) - 1) << FRAC; \
        U b = B(f); \
        if (fg_isnan##N(b)) return fg_nan1f##N(ctx, f); \
        U e = b & exp_mask; \
        return M((b & sign_bit) | (e == 0 ? exp_mask - ((U)1 << FRAC) : ~b & exp_mask)); \
    }
FG_ESTIMATES(32, u32, f32, 8, 23, fg_b32, fg_f32)
FG_ESTIMATES(64, u64, f64, 11, 52, fg_b64, fg_f64)

#endif
