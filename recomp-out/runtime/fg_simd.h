/* Advanced SIMD. Every function takes and gives whole 128-bit registers; the emitter masks what a 64-bit or scalar form does not write.
 * The suffix is the element size in bits (of the narrow side, for widening and narrowing forms). */
#ifndef FG_SIMD_H
#define FG_SIMD_H

typedef u8 u8v __attribute__((vector_size(16)));
typedef s8 s8v __attribute__((vector_size(16)));
typedef u16 u16v __attribute__((vector_size(16)));
typedef s16 s16v __attribute__((vector_size(16)));
typedef u32 u32v __attribute__((vector_size(16)));
typedef s32 s32v __attribute__((vector_size(16)));
typedef u64 u64v __attribute__((vector_size(16)));
typedef s64 s64v __attribute__((vector_size(16)));
typedef f32 f32v __attribute__((vector_size(16)));
typedef f64 f64v __attribute__((vector_size(16)));
typedef u8 u8h __attribute__((vector_size(8)));
typedef s8 s8h __attribute__((vector_size(8)));
typedef u16 u16h __attribute__((vector_size(8)));
typedef s16 s16h __attribute__((vector_size(8)));
typedef u32 u32h __attribute__((vector_size(8)));
typedef s32 s32h __attribute__((vector_size(8)));
typedef f32 f32h __attribute__((vector_size(8)));
typedef u64 u64h __attribute__((vector_size(8)));

/* ---- parts of a register */
FG_INLINE v128 fg_lo(v128 v) { return (v128){v[0], 0}; }
FG_INLINE v128 fg_hi(v128 v) { return (v128){v[1], 0}; }
FG_INLINE v128 fg_low8(v128 v) { return (v128){(u8)v[0], 0}; }
FG_INLINE v128 fg_low16(v128 v) { return (v128){(u16)v[0], 0}; }
FG_INLINE v128 fg_low32(v128 v) { return (v128){(u32)v[0], 0}; }
FG_INLINE v128 fg_low64(v128 v) { return fg_lo(v); }
/* The low half of r becomes the high half of d. */
FG_INLINE v128 fg_put_hi(v128 d, v128 r) { return (v128){d[0], r[0]}; }
FG_INLINE v128 fg_cat(v128 n, v128 m) { return (v128){n[0], m[0]}; }
FG_INLINE void fg_qc(C *ctx, v128 changed) { if (FG_UNLIKELY(changed[0] | changed[1])) ctx->fpsr |= FG_FPSR_QC; }

/* ---- bitwise */
FG_INLINE v128 fg_and(v128 n, v128 m) { return n & m; }
FG_INLINE v128 fg_bic(v128 n, v128 m) { return n & ~m; }
FG_INLINE v128 fg_orr(v128 n, v128 m) { return n | m; }
FG_INLINE v128 fg_orn(v128 n, v128 m) { return n | ~m; }
FG_INLINE v128 fg_eor(v128 n, v128 m) { return n ^ m; }
FG_INLINE v128 fg_bsl(v128 d, v128 n, v128 m) { return (n & d) | (m & ~d); }
FG_INLINE v128 fg_bit(v128 d, v128 n, v128 m) { return (n & m) | (d & ~m); }
FG_INLINE v128 fg_bif(v128 d, v128 n, v128 m) { return (d & m) | (n & ~m); }

/* One lane of the register-shift family: `v` extended to 64 bits, `sh` the signed shift. */
FG_INLINE u64 fg_shift_lane(u64 v, s32 sh, s32 bits, int sgn, int rnd, int sat, u64 *qc) {
    s128 x = sgn ? (s128)(s64)v : (s128)v;
    s128 top = sgn ? ((s128)1 << (bits - 1)) - 1 : ((s128)1 << bits) - 1, bottom = sgn ? -((s128)1 << (bits - 1)) : 0;
    if (sh >= 0) {
        if (sh >= bits) {
            if (!sat || x == 0) return 0;
            *qc = 1;
            return (u64)(x < 0 ? bottom : top);
        }
        x <<= sh;
        if (sat && x > top) { *qc = 1; x = top; }
        if (sat && x < bottom) { *qc = 1; x = bottom; }
        return (u64)x;
    }
    sh = -sh;
    if (rnd) return sh > bits ? 0 : (u64)((x + ((s128)1 << (sh - 1))) >> sh);
    return sh >= bits ? (x < 0 ? ~0ull : 0) : (u64)(x >> sh);
}

#define FG_LANES(N) for (int i = 0; i < 128 / N; i++)

#define FG_SHIFT_REG(NAME, N, T, SGN, RND, SAT) \
    FG_INLINE v128 NAME(C *ctx, v128 n, v128 m) { \
        T a = (T)n, b = (T)m, r = a; \
        u64 qc = 0; \
        FG_LANES(N) r[i] = (__typeof__(r[0]))fg_shift_lane((u64)(SGN ? (s64)a[i] : (s64)(u64)a[i]), (s8)b[i], N, SGN, RND, SAT, &qc); \
        if (SAT && qc) ctx->fpsr |= FG_FPSR_QC; \
        return (v128)r; \
    }

#define FG_INT(N) FG_INT2(N, u##N##v, s##N##v, u##N, s##N)
#define FG_INT2(N, UV, SV, U, S) \
    FG_INLINE v128 fg_dup_##N(u64 x) { return (v128)((UV){} + (U)x); } \
    FG_INLINE v128 fg_add_##N(v128 n, v128 m) { return (v128)((UV)n + (UV)m); } \
    FG_INLINE v128 fg_sub_##N(v128 n, v128 m) { return (v128)((UV)n - (UV)m); } \
    FG_INLINE v128 fg_mul_##N(v128 n, v128 m) { return (v128)((UV)n * (UV)m); } \
    FG_INLINE v128 fg_mla_##N(v128 d, v128 n, v128 m) { return (v128)((UV)d + (UV)n * (UV)m); } \
    FG_INLINE v128 fg_mls_##N(v128 d, v128 n, v128 m) { return (v128)((UV)d - (UV)n * (UV)m); } \
    FG_INLINE v128 fg_cmeq_##N(v128 n, v128 m) { return (v128)((UV)n == (UV)m); } \
    FG_INLINE v128 fg_cmgt_##N(v128 n, v128 m) { return (v128)((SV)n > (SV)m); } \
    FG_INLINE v128 fg_cmge_##N(v128 n, v128 m) { return (v128)((SV)n >= (SV)m); } \
    FG_INLINE v128 fg_cmhi_##N(v128 n, v128 m) { return (v128)((UV)n > (UV)m); } \
    FG_INLINE v128 fg_cmhs_##N(v128 n, v128 m) { return (v128)((UV)n >= (UV)m); } \
    FG_INLINE v128 fg_cmtst_##N(v128 n, v128 m) { return (v128)((UV)(n & m) != 0); } \
    FG_INLINE v128 fg_cmeq0_##N(v128 n) { return (v128)((SV)n == 0); } \
    FG_INLINE v128 fg_cmgt0_##N(v128 n) { return (v128)((SV)n > 0); } \
    FG_INLINE v128 fg_cmge0_##N(v128 n) { return (v128)((SV)n >= 0); } \
    FG_INLINE v128 fg_cmlt0_##N(v128 n) { return (v128)((SV)n < 0); } \
    FG_INLINE v128 fg_cmle0_##N(v128 n) { return (v128)((SV)n <= 0); } \
    FG_INLINE v128 fg_smax_##N(v128 n, v128 m) { return (v128)__builtin_elementwise_max((SV)n, (SV)m); } \
    FG_INLINE v128 fg_smin_##N(v128 n, v128 m) { return (v128)__builtin_elementwise_min((SV)n, (SV)m); } \
    FG_INLINE v128 fg_umax_##N(v128 n, v128 m) { return (v128)__builtin_elementwise_max((UV)n, (UV)m); } \
    FG_INLINE v128 fg_umin_##N(v128 n, v128 m) { return (v128)__builtin_elementwise_min((UV)n, (UV)m); } \
    FG_INLINE v128 fg_sabd_##N(v128 n, v128 m) { return fg_sub_##N(fg_smax_##N(n, m), fg_smin_##N(n, m)); } \
    FG_INLINE v128 fg_uabd_##N(v128 n, v128 m) { return fg_sub_##N(fg_umax_##N(n, m), fg_umin_##N(n, m)); } \
    FG_INLINE v128 fg_saba_##N(v128 d, v128 n, v128 m) { return fg_add_##N(d, fg_sabd_##N(n, m)); } \
    FG_INLINE v128 fg_uaba_##N(v128 d, v128 n, v128 m) { return fg_add_##N(d, fg_uabd_##N(n, m)); } \
    FG_INLINE v128 fg_shadd_##N(v128 n, v128 m) { return (v128)((SV)(n & m) + ((SV)(n ^ m) >> 1)); } \
    FG_INLINE v128 fg_uhadd_##N(v128 n, v128 m) { return (v128)((UV)(n & m) + ((UV)(n ^ m) >> 1)); } \
    FG_INLINE v128 fg_srhadd_##N(v128 n, v128 m) { return (v128)((SV)(n | m) - ((SV)(n ^ m) >> 1)); } \
    FG_INLINE v128 fg_urhadd_##N(v128 n, v128 m) { return (v128)((UV)(n | m) - ((UV)(n ^ m) >> 1)); } \
    FG_INLINE v128 fg_shsub_##N(v128 n, v128 m) { return (v128)(((SV)(n ^ m) >> 1) - (SV)(~n & m)); } \
    FG_INLINE v128 fg_uhsub_##N(v128 n, v128 m) { return (v128)(((UV)(n ^ m) >> 1) - (UV)(~n & m)); } \
    FG_INLINE v128 fg_neg_##N(v128 n) { return (v128)(-(UV)n); } \
    FG_INLINE v128 fg_abs_##N(v128 n) { UV s = (UV)((SV)n >> (N - 1)); return (v128)(((UV)n ^ s) - s); } \
    FG_INLINE v128 fg_sqadd_##N(C *ctx, v128 n, v128 m) { v128 r = (v128)__builtin_elementwise_add_sat((SV)n, (SV)m); fg_qc(ctx, r ^ fg_add_##N(n, m)); return r; } \
    FG_INLINE v128 fg_uqadd_##N(C *ctx, v128 n, v128 m) { v128 r = (v128)__builtin_elementwise_add_sat((UV)n, (UV)m); fg_qc(ctx, r ^ fg_add_##N(n, m)); return r; } \
    FG_INLINE v128 fg_sqsub_##N(C *ctx, v128 n, v128 m) { v128 r = (v128)__builtin_elementwise_sub_sat((SV)n, (SV)m); fg_qc(ctx, r ^ fg_sub_##N(n, m)); return r; } \
    FG_INLINE v128 fg_uqsub_##N(C *ctx, v128 n, v128 m) { v128 r = (v128)__builtin_elementwise_sub_sat((UV)n, (UV)m); fg_qc(ctx, r ^ fg_sub_##N(n, m)); return r; } \
    FG_INLINE v128 fg_sqneg_##N(C *ctx, v128 n) { return fg_sqsub_##N(ctx, (v128){}, n); } \
    FG_INLINE v128 fg_sqabs_##N(C *ctx, v128 n) { v128 r = (v128)((UV)fg_abs_##N(n) - ((UV)((SV)fg_abs_##N(n) < 0) & 1)); fg_qc(ctx, r ^ fg_abs_##N(n)); return r; } \
    FG_INLINE v128 fg_suqadd_##N(C *ctx, v128 d, v128 n) { \
        SV a = (SV)d, r = a; UV b = (UV)n; u64 qc = 0; \
        FG_LANES(N) { s128 x = (s128)a[i] + (s128)(u64)b[i], top = ((s128)1 << (N - 1)) - 1; if (x > top) { x = top; qc = 1; } r[i] = (S)x; } \
        if (qc) ctx->fpsr |= FG_FPSR_QC; \
        return (v128)r; \
    } \
    FG_INLINE v128 fg_usqadd_##N(C *ctx, v128 d, v128 n) { \
        UV a = (UV)d, r = a; SV b = (SV)n; u64 qc = 0; \
        FG_LANES(N) { s128 x = (s128)(u64)a[i] + (s128)b[i], top = ((s128)1 << N) - 1; if (x > top) { x = top; qc = 1; } if (x < 0) { x = 0; qc = 1; } r[i] = (U)x; } \
        if (qc) ctx->fpsr |= FG_FPSR_QC; \
        return (v128)r; \
    } \
    FG_SHIFT_REG(fg_sshlx_##N, N, SV, 1, 0, 0) FG_SHIFT_REG(fg_ushlx_##N, N, UV, 0, 0, 0) \
    FG_SHIFT_REG(fg_srshlx_##N, N, SV, 1, 1, 0) FG_SHIFT_REG(fg_urshlx_##N, N, UV, 0, 1, 0) \
    FG_SHIFT_REG(fg_sqshl_##N, N, SV, 1, 0, 1) FG_SHIFT_REG(fg_uqshl_##N, N, UV, 0, 0, 1) \
    FG_SHIFT_REG(fg_sqrshl_##N, N, SV, 1, 1, 1) FG_SHIFT_REG(fg_uqrshl_##N, N, UV, 0, 1, 1) \
    FG_INLINE v128 fg_sshl_##N(v128 n, v128 m) { return fg_sshlx_##N(0, n, m); } \
    FG_INLINE v128 fg_ushl_##N(v128 n, v128 m) { return fg_ushlx_##N(0, n, m); } \
    FG_INLINE v128 fg_srshl_##N(v128 n, v128 m) { return fg_srshlx_##N(0, n, m); } \
    FG_INLINE v128 fg_urshl_##N(v128 n, v128 m) { return fg_urshlx_##N(0, n, m); } \
    /* shifts by immediate */ \
    FG_INLINE v128 fg_sshr_##N(v128 n, int sh) { return (v128)((SV)n >> (S)(sh > N - 1 ? N - 1 : sh)); } \
    FG_INLINE v128 fg_ushr_##N(v128 n, int sh) { return sh == N ? (v128){} : (v128)((UV)n >> (U)sh); } \
    FG_INLINE v128 fg_srshr_##N(v128 n, int sh) { SV x = (SV)n >> (S)(sh - 1); return (v128)((x >> 1) + (x & 1)); } \
    FG_INLINE v128 fg_urshr_##N(v128 n, int sh) { UV x = (UV)n >> (U)(sh - 1); return (v128)((x >> 1) + (x & 1)); } \
    FG_INLINE v128 fg_ssra_##N(v128 d, v128 n, int sh) { return fg_add_##N(d, fg_sshr_##N(n, sh)); } \
    FG_INLINE v128 fg_usra_##N(v128 d, v128 n, int sh) { return fg_add_##N(d, fg_ushr_##N(n, sh)); } \
    FG_INLINE v128 fg_srsra_##N(v128 d, v128 n, int sh) { return fg_add_##N(d, fg_srshr_##N(n, sh)); } \
    FG_INLINE v128 fg_ursra_##N(v128 d, v128 n, int sh) { return fg_add_##N(d, fg_urshr_##N(n, sh)); } \
    FG_INLINE v128 fg_sri_##N(v128 d, v128 n, int sh) { v128 keep = ~fg_ushr_##N(~(v128){}, sh); return (d & keep) | fg_ushr_##N(n, sh); } \
    FG_INLINE v128 fg_shl_##N(v128 n, int sh) { return (v128)((UV)n << (U)sh); } \
    FG_INLINE v128 fg_sli_##N(v128 d, v128 n, int sh) { v128 fill = fg_shl_##N(~(v128){}, sh); return (d & ~fill) | fg_shl_##N(n, sh); } \
    FG_INLINE v128 fg_sqshli_##N(C *ctx, v128 n, int sh) { return fg_sqshl_##N(ctx, n, fg_dup_##N((u64)sh)); } \
    FG_INLINE v128 fg_uqshli_##N(C *ctx, v128 n, int sh) { return fg_uqshl_##N(ctx, n, fg_dup_##N((u64)sh)); } \
    FG_INLINE v128 fg_sqshlui_##N(C *ctx, v128 n, int sh) { \
        v128 positive = fg_smax_##N(n, (v128){}); \
        fg_qc(ctx, positive ^ n); \
        return fg_uqshl_##N(ctx, positive, fg_dup_##N((u64)sh)); \
    }
FG_INT(8)
FG_INT(16)
FG_INT(32)
FG_INT(64)

/* ---- permutes */
#define FG_Z(V, ...) (v128)__builtin_shufflevector((V)n, (V)m, __VA_ARGS__)
FG_INLINE v128 fg_zip1_8(v128 n, v128 m) { return FG_Z(u8v, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23); }
FG_INLINE v128 fg_zip2_8(v128 n, v128 m) { return FG_Z(u8v, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31); }
FG_INLINE v128 fg_uzp1_8(v128 n, v128 m) { return FG_Z(u8v, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30); }
FG_INLINE v128 fg_uzp2_8(v128 n, v128 m) { return FG_Z(u8v, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31); }
FG_INLINE v128 fg_trn1_8(v128 n, v128 m) { return FG_Z(u8v, 0, 16, 2, 18, 4, 20, 6, 22, 8, 24, 10, 26, 12, 28, 14, 30); }
FG_INLINE v128 fg_trn2_8(v128 n, v128 m) { return FG_Z(u8v, 1, 17, 3, 19, 5, 21, 7, 23, 9, 25, 11, 27, 13, 29, 15, 31); }
FG_INLINE v128 fg_zip1_16(v128 n, v128 m) { return FG_Z(u16v, 0, 8, 1, 9, 2, 10, 3, 11); }
FG_INLINE v128 fg_zip2_16(v128 n, v128 m) { return FG_Z(u16v, 4, 12, 5, 13, 6, 14, 7, 15); }
FG_INLINE v128 fg_uzp1_16(v128 n, v128 m) { return FG_Z(u16v, 0, 2, 4, 6, 8, 10, 12, 14); }
FG_INLINE v128 fg_uzp2_16(v128 n, v128 m) { return FG_Z(u16v, 1, 3, 5, 7, 9, 11, 13, 15); }
FG_INLINE v128 fg_trn1_16(v128 n, v128 m) { return FG_Z(u16v, 0, 8, 2, 10, 4, 12, 6, 14); }
FG_INLINE v128 fg_trn2_16(v128 n, v128 m) { return FG_Z(u16v, 1, 9, 3, 11, 5, 13, 7, 15); }
FG_INLINE v128 fg_zip1_32(v128 n, v128 m) { return FG_Z(u32v, 0, 4, 1, 5); }
FG_INLINE v128 fg_zip2_32(v128 n, v128 m) { return FG_Z(u32v, 2, 6, 3, 7); }
FG_INLINE v128 fg_uzp1_32(v128 n, v128 m) { return FG_Z(u32v, 0, 2, 4, 6); }
FG_INLINE v128 fg_uzp2_32(v128 n, v128 m) { return FG_Z(u32v, 1, 3, 5, 7); }
FG_INLINE v128 fg_trn1_32(v128 n, v128 m) { return FG_Z(u32v, 0, 4, 2, 6); }
FG_INLINE v128 fg_trn2_32(v128 n, v128 m) { return FG_Z(u32v, 1, 5, 3, 7); }
FG_INLINE v128 fg_zip1_64(v128 n, v128 m) { return FG_Z(u64v, 0, 2); }
FG_INLINE v128 fg_zip2_64(v128 n, v128 m) { return FG_Z(u64v, 1, 3); }
#define fg_uzp1_64 fg_zip1_64
#define fg_uzp2_64 fg_zip2_64
#define fg_trn1_64 fg_zip1_64
#define fg_trn2_64 fg_zip2_64
/* Bytes `at`.. of the pair m:n; a shift of the 256-bit (128-bit for the half form) concatenation. */
#define fg_ext(n, m, at) ((v128)__builtin_shufflevector((u8v)(n), (u8v)(m), at, at + 1, at + 2, at + 3, at + 4, at + 5, at + 6, at + 7, \
    at + 8, at + 9, at + 10, at + 11, at + 12, at + 13, at + 14, at + 15))
#define fg_ext_half(n, m, at) fg_lo((v128)__builtin_shufflevector((u8v)fg_cat(n, m), (u8v)(v128){}, at, at + 1, at + 2, at + 3, at + 4, at + 5, at + 6, \
    at + 7, 16, 16, 16, 16, 16, 16, 16, 16))
FG_INLINE v128 fg_rev64_8(v128 n) { v128 m = n; return FG_Z(u8v, 7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8); }
FG_INLINE v128 fg_rev32_8(v128 n) { v128 m = n; return FG_Z(u8v, 3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12); }
FG_INLINE v128 fg_rev16_8(v128 n) { v128 m = n; return FG_Z(u8v, 1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14); }
FG_INLINE v128 fg_rev64_16(v128 n) { v128 m = n; return FG_Z(u16v, 3, 2, 1, 0, 7, 6, 5, 4); }
FG_INLINE v128 fg_rev32_16(v128 n) { v128 m = n; return FG_Z(u16v, 1, 0, 3, 2, 5, 4, 7, 6); }
FG_INLINE v128 fg_rev64_32(v128 n) { v128 m = n; return FG_Z(u32v, 1, 0, 3, 2); }
FG_INLINE v128 fg_tbl(v128 d, v128 t0, v128 t1, v128 t2, v128 t3, u32 regs, v128 idx, int extend) {
    u8v i8 = (u8v)idx, r = extend ? (u8v)d : (u8v){};
    v128 t[4] = {t0, t1, t2, t3};
    for (u32 k = 0; k < regs; k++) {
        u8v at = i8 - (u8)(16 * k), inside = (u8v)(at < 16);
#if defined(__SSSE3__)
        u8v got = (u8v)__builtin_ia32_pshufb128((char __attribute__((vector_size(16))))t[k], (char __attribute__((vector_size(16))))(at & 15));
#else
        u8v got, src = (u8v)t[k];
        for (int i = 0; i < 16; i++) got[i] = src[at[i] & 15];
#endif
        r = (got & inside) | (r & ~inside);
    }
    return (v128)r;
}

/* ---- bytes */
FG_INLINE v128 fg_not_8(v128 n) { return ~n; }
FG_INLINE v128 fg_cnt_8(v128 n) {
    u8v x = (u8v)n;
    x = x - (x >> 1 & 0x55);
    x = (x & 0x33) + (x >> 2 & 0x33);
    return (v128)((x + (x >> 4)) & 0x0F);
}
FG_INLINE v128 fg_rbit_8(v128 n) { return (v128)__builtin_elementwise_bitreverse((u8v)n); }
FG_INLINE v128 fg_pmul_8(v128 n, v128 m) {
    u8v a = (u8v)n, b = (u8v)m, r = {};
    for (int k = 0; k < 8; k++) r ^= (a << (u8)k) & -(b >> (u8)k & 1);
    return (v128)r;
}
FG_INLINE v128 fg_pmull_8(v128 n, v128 m) {
    u16v a = __builtin_convertvector(__builtin_shufflevector((u8v)n, (u8v)n, 0, 1, 2, 3, 4, 5, 6, 7), u16v);
    u16v b = __builtin_convertvector(__builtin_shufflevector((u8v)m, (u8v)m, 0, 1, 2, 3, 4, 5, 6, 7), u16v), r = {};
    for (int k = 0; k < 8; k++) r ^= (a << (u16)k) & -(b >> (u16)k & 1);
    return (v128)r;
}
FG_INLINE v128 fg_pmull_64(v128 n, v128 m) {
    u64 lo = 0, hi = 0, a = n[0], b = m[0];
    for (int k = 0; k < 64; k++) {
        u64 on = -(b >> k & 1);
        lo ^= a << k & on;
        hi ^= (k ? a >> (64 - k) : 0) & on;
    }
    return (v128){lo, hi};
}
#define FG_COUNT(N, UV, SV) \
    FG_INLINE v128 fg_clz_##N(v128 n) { UV a = (UV)n, r; FG_LANES(N) r[i] = (__typeof__(r[0]))(a[i] ? __builtin_clz((u32)a[i]) - (32 - N) : N); return (v128)r; } \
    FG_INLINE v128 fg_cls_##N(v128 n) { v128 x = (v128)((UV)n ^ (UV)((SV)n >> 1)); return fg_sub_##N(fg_clz_##N((v128)((UV)x & (UV)fg_ushr_##N(~(v128){}, 1))), fg_dup_##N(1)); }
FG_COUNT(8, u8v, s8v)
FG_COUNT(16, u16v, s16v)
FG_COUNT(32, u32v, s32v)

/* ---- widening and narrowing: N is the narrow size, W the wide one */
#define FG_HALF_8(V) __builtin_shufflevector(V, V, 0, 1, 2, 3, 4, 5, 6, 7)
#define FG_HALF_16(V) __builtin_shufflevector(V, V, 0, 1, 2, 3)
#define FG_HALF_32(V) __builtin_shufflevector(V, V, 0, 1)
#define FG_WIDE(N, W) FG_WIDE2(N, W, u##N##v, s##N##v, u##W##v, s##W##v, u##N##h, s##N##h, u##W, s##W)
#define FG_WIDE2(N, W, UN, SN, UW, SW, UH, SH, U, S) \
    FG_INLINE UW fg_uxl_##N(v128 n) { return __builtin_convertvector(FG_HALF_##N((UN)n), UW); } \
    FG_INLINE SW fg_sxl_##N(v128 n) { return __builtin_convertvector(FG_HALF_##N((SN)n), SW); } \
    FG_INLINE v128 fg_narrow_##N(v128 w) { return (v128){__builtin_bit_cast(u64, __builtin_convertvector((UW)w, UH)), 0}; } \
    FG_INLINE v128 fg_saddl_##N(v128 n, v128 m) { return (v128)(fg_sxl_##N(n) + fg_sxl_##N(m)); } \
    FG_INLINE v128 fg_uaddl_##N(v128 n, v128 m) { return (v128)(fg_uxl_##N(n) + fg_uxl_##N(m)); } \
    FG_INLINE v128 fg_ssubl_##N(v128 n, v128 m) { return (v128)(fg_sxl_##N(n) - fg_sxl_##N(m)); } \
    FG_INLINE v128 fg_usubl_##N(v128 n, v128 m) { return (v128)(fg_uxl_##N(n) - fg_uxl_##N(m)); } \
    FG_INLINE v128 fg_saddw_##N(v128 n, v128 m) { return (v128)((SW)n + fg_sxl_##N(m)); } \
    FG_INLINE v128 fg_uaddw_##N(v128 n, v128 m) { return (v128)((UW)n + fg_uxl_##N(m)); } \
    FG_INLINE v128 fg_ssubw_##N(v128 n, v128 m) { return (v128)((SW)n - fg_sxl_##N(m)); } \
    FG_INLINE v128 fg_usubw_##N(v128 n, v128 m) { return (v128)((UW)n - fg_uxl_##N(m)); } \
    FG_INLINE v128 fg_sabdl_##N(v128 n, v128 m) { return fg_sabd_##W((v128)fg_sxl_##N(n), (v128)fg_sxl_##N(m)); } \
    FG_INLINE v128 fg_uabdl_##N(v128 n, v128 m) { return fg_uabd_##W((v128)fg_uxl_##N(n), (v128)fg_uxl_##N(m)); } \
    FG_INLINE v128 fg_sabal_##N(v128 d, v128 n, v128 m) { return fg_add_##W(d, fg_sabdl_##N(n, m)); } \
    FG_INLINE v128 fg_uabal_##N(v128 d, v128 n, v128 m) { return fg_add_##W(d, fg_uabdl_##N(n, m)); } \
    FG_INLINE v128 fg_smull_##N(v128 n, v128 m) { return (v128)(fg_sxl_##N(n) * fg_sxl_##N(m)); } \
    FG_INLINE v128 fg_umull_##N(v128 n, v128 m) { return (v128)(fg_uxl_##N(n) * fg_uxl_##N(m)); } \
    FG_INLINE v128 fg_smlal_##N(v128 d, v128 n, v128 m) { return fg_add_##W(d, fg_smull_##N(n, m)); } \
    FG_INLINE v128 fg_umlal_##N(v128 d, v128 n, v128 m) { return fg_add_##W(d, fg_umull_##N(n, m)); } \
    FG_INLINE v128 fg_smlsl_##N(v128 d, v128 n, v128 m) { return fg_sub_##W(d, fg_smull_##N(n, m)); } \
    FG_INLINE v128 fg_umlsl_##N(v128 d, v128 n, v128 m) { return fg_sub_##W(d, fg_umull_##N(n, m)); } \
    FG_INLINE v128 fg_addhn_##N(v128 n, v128 m) { return fg_narrow_##N(fg_ushr_##W(fg_add_##W(n, m), N)); } \
    FG_INLINE v128 fg_subhn_##N(v128 n, v128 m) { return fg_narrow_##N(fg_ushr_##W(fg_sub_##W(n, m), N)); } \
    FG_INLINE v128 fg_raddhn_##N(v128 n, v128 m) { return fg_narrow_##N(fg_ushr_##W(fg_add_##W(fg_add_##W(n, m), fg_dup_##W(1ull << (N - 1))), N)); } \
    FG_INLINE v128 fg_rsubhn_##N(v128 n, v128 m) { return fg_narrow_##N(fg_ushr_##W(fg_add_##W(fg_sub_##W(n, m), fg_dup_##W(1ull << (N - 1))), N)); } \
    FG_INLINE v128 fg_xtn_##N(v128 n) { return fg_narrow_##N(n); } \
    FG_INLINE v128 fg_sqxtn_##N(C *ctx, v128 n) { \
        SW top = (SW){} + (S)((1ull << (N - 1)) - 1), r = __builtin_elementwise_max(__builtin_elementwise_min((SW)n, top), -top - 1); \
        fg_qc(ctx, (v128)r ^ n); \
        return fg_narrow_##N((v128)r); \
    } \
    FG_INLINE v128 fg_uqxtn_##N(C *ctx, v128 n) { \
        UW r = __builtin_elementwise_min((UW)n, (UW){} + (U)((1ull << N) - 1)); \
        fg_qc(ctx, (v128)r ^ n); \
        return fg_narrow_##N((v128)r); \
    } \
    FG_INLINE v128 fg_sqxtun_##N(C *ctx, v128 n) { \
        SW r = __builtin_elementwise_max(__builtin_elementwise_min((SW)n, (SW){} + (S)((1ull << N) - 1)), (SW){}); \
        fg_qc(ctx, (v128)r ^ n); \
        return fg_narrow_##N((v128)r); \
    } \
    FG_INLINE v128 fg_shrn_##N(v128 n, int sh) { return fg_narrow_##N(fg_ushr_##W(n, sh)); } \
    FG_INLINE v128 fg_rshrn_##N(v128 n, int sh) { return fg_narrow_##N(fg_urshr_##W(n, sh)); } \
    FG_INLINE v128 fg_sqshrn_##N(C *ctx, v128 n, int sh) { return fg_sqxtn_##N(ctx, fg_sshr_##W(n, sh)); } \
    FG_INLINE v128 fg_sqrshrn_##N(C *ctx, v128 n, int sh) { return fg_sqxtn_##N(ctx, fg_srshr_##W(n, sh)); } \
    FG_INLINE v128 fg_uqshrn_##N(C *ctx, v128 n, int sh) { return fg_uqxtn_##N(ctx, fg_ushr_##W(n, sh)); } \
    FG_INLINE v128 fg_uqrshrn_##N(C *ctx, v128 n, int sh) { return fg_uqxtn_##N(ctx, fg_urshr_##W(n, sh)); } \
    FG_INLINE v128 fg_sqshrun_##N(C *ctx, v128 n, int sh) { return fg_sqxtun_##N(ctx, fg_sshr_##W(n, sh)); } \
    FG_INLINE v128 fg_sqrshrun_##N(C *ctx, v128 n, int sh) { return fg_sqxtun_##N(ctx, fg_srshr_##W(n, sh)); } \
    FG_INLINE v128 fg_sshll_##N(v128 n, int sh) { return (v128)(fg_sxl_##N(n) << (S)sh); } \
    FG_INLINE v128 fg_ushll_##N(v128 n, int sh) { return (v128)(fg_uxl_##N(n) << (U)sh); } \
    FG_INLINE v128 fg_saddlp_##N(v128 n) { return (v128)(((SW)n >> N) + ((SW)((UW)n << N) >> N)); } \
    FG_INLINE v128 fg_uaddlp_##N(v128 n) { return (v128)(((UW)n >> N) + ((UW)n << N >> N)); } \
    FG_INLINE v128 fg_sadalp_##N(v128 d, v128 n) { return fg_add_##W(d, fg_saddlp_##N(n)); } \
    FG_INLINE v128 fg_uadalp_##N(v128 d, v128 n) { return fg_add_##W(d, fg_uaddlp_##N(n)); } \
    /* across lanes: `lanes` are summed or compared */ \
    FG_INLINE v128 fg_addv_##N(v128 n, int lanes) { UN a = (UN)n; u##N r = 0; for (int i = 0; i < lanes; i++) r += a[i]; return (v128){r, 0}; } \
    FG_INLINE v128 fg_saddlv_##N(v128 n, int lanes) { SN a = (SN)n; S r = 0; for (int i = 0; i < lanes; i++) r += a[i]; return (v128){(U)r, 0}; } \
    FG_INLINE v128 fg_uaddlv_##N(v128 n, int lanes) { UN a = (UN)n; U r = 0; for (int i = 0; i < lanes; i++) r += a[i]; return (v128){r, 0}; } \
    FG_INLINE v128 fg_smaxv_##N(v128 n, int lanes) { SN a = (SN)n; s##N r = a[0]; for (int i = 1; i < lanes; i++) r = a[i] > r ? a[i] : r; return (v128){(u##N)r, 0}; } \
    FG_INLINE v128 fg_sminv_##N(v128 n, int lanes) { SN a = (SN)n; s##N r = a[0]; for (int i = 1; i < lanes; i++) r = a[i] < r ? a[i] : r; return (v128){(u##N)r, 0}; } \
    FG_INLINE v128 fg_umaxv_##N(v128 n, int lanes) { UN a = (UN)n; u##N r = a[0]; for (int i = 1; i < lanes; i++) r = a[i] > r ? a[i] : r; return (v128){r, 0}; } \
    FG_INLINE v128 fg_uminv_##N(v128 n, int lanes) { UN a = (UN)n; u##N r = a[0]; for (int i = 1; i < lanes; i++) r = a[i] < r ? a[i] : r; return (v128){r, 0}; }
FG_WIDE(8, 16)
FG_WIDE(16, 32)
FG_WIDE(32, 64)

#define FG_DOUBLING(N, W, SN, SW) \
    FG_INLINE v128 fg_sqdmulh_##N(C *ctx, v128 n, v128 m) { \
        SN a = (SN)n, b = (SN)m, r = a; u64 qc = 0; \
        FG_LANES(N) { s64 x = ((s64)a[i] * b[i]) >> (N - 1); if (x >> (N - 1) == 1) { x--; qc = 1; } r[i] = (s##N)x; } \
        if (FG_UNLIKELY(qc)) ctx->fpsr |= FG_FPSR_QC; \
        return (v128)r; \
    } \
    FG_INLINE v128 fg_sqrdmulh_##N(C *ctx, v128 n, v128 m) { \
        SN a = (SN)n, b = (SN)m, r = a; u64 qc = 0; \
        FG_LANES(N) { s64 x = ((s64)a[i] * b[i] + (1ll << (N - 2))) >> (N - 1); if (x >> (N - 1) == 1) { x--; qc = 1; } r[i] = (s##N)x; } \
        if (FG_UNLIKELY(qc)) ctx->fpsr |= FG_FPSR_QC; \
        return (v128)r; \
    } \
    FG_INLINE v128 fg_sqdmull_##N(C *ctx, v128 n, v128 m) { v128 p = fg_smull_##N(n, m); return fg_sqadd_##W(ctx, p, p); } \
    FG_INLINE v128 fg_sqdmlal_##N(C *ctx, v128 d, v128 n, v128 m) { return fg_sqadd_##W(ctx, d, fg_sqdmull_##N(ctx, n, m)); } \
    FG_INLINE v128 fg_sqdmlsl_##N(C *ctx, v128 d, v128 n, v128 m) { return fg_sqsub_##W(ctx, d, fg_sqdmull_##N(ctx, n, m)); }
FG_DOUBLING(16, 32, s16v, s32v)
FG_DOUBLING(32, 64, s32v, s64v)

FG_INLINE v128 fg_urecpe_32(v128 n) {
    u32v a = (u32v)n, r;
    for (int i = 0; i < 4; i++) r[i] = a[i] >> 31 ? fg_recip_estimate(a[i] >> 23) << 23 : 0xFFFFFFFFu;
    return (v128)r;
}
FG_INLINE v128 fg_ursqrte_32(v128 n) {
    u32v a = (u32v)n, r;
    for (int i = 0; i < 4; i++) r[i] = a[i] >> 30 ? fg_rsqrt_estimate(a[i] >> 23) << 23 : 0xFFFFFFFFu;
    return (v128)r;
}

/* ---- floating point: whole-vector fast path, lanes repaired out of line when a NaN came out */
#define FG_VF(N, FV, UV, F, U, B, M) \
    FG_INLINE int fg_anynan_##N(FV r) { v128 m = (v128)(r != r); return FG_UNLIKELY((m[0] | m[1]) != 0); } \
    FG_COLD v128 fg_vrepair2_##N(C *ctx, FV r, FV a, FV b) { \
        FG_LANES(N) if (r[i] != r[i]) r[i] = M(fg_nan2b##N(ctx, ((UV)a)[i], ((UV)b)[i])); \
        return (v128)r; \
    } \
    FG_COLD v128 fg_vrepair3_##N(C *ctx, FV r, FV d, FV a, FV b) { \
        FG_LANES(N) if (r[i] != r[i]) r[i] = M(fg_nan3b##N(ctx, ((UV)d)[i], ((UV)a)[i], ((UV)b)[i])); \
        return (v128)r; \
    } \
    FG_INLINE v128 fg_v_fadd_##N(C *ctx, v128 n, v128 m) { FV r = (FV)n + (FV)m; return fg_anynan_##N(r) ? fg_vrepair2_##N(ctx, r, (FV)n, (FV)m) : (v128)r; } \
    FG_INLINE v128 fg_v_fsub_##N(C *ctx, v128 n, v128 m) { FV r = (FV)n - (FV)m; return fg_anynan_##N(r) ? fg_vrepair2_##N(ctx, r, (FV)n, (FV)m) : (v128)r; } \
    FG_INLINE v128 fg_v_fmul_##N(C *ctx, v128 n, v128 m) { FV r = (FV)n * (FV)m; return fg_anynan_##N(r) ? fg_vrepair2_##N(ctx, r, (FV)n, (FV)m) : (v128)r; } \
    FG_INLINE v128 fg_v_fdiv_##N(C *ctx, v128 n, v128 m) { FV r = (FV)n / (FV)m; return fg_anynan_##N(r) ? fg_vrepair2_##N(ctx, r, (FV)n, (FV)m) : (v128)r; } \
    FG_INLINE v128 fg_v_fneg_##N(C *ctx, v128 n) { return (v128)((UV)n ^ (U)1 << (N - 1)); } \
    FG_INLINE v128 fg_v_fabs_##N(C *ctx, v128 n) { return (v128)((UV)n & ~((U)1 << (N - 1))); } \
    FG_INLINE v128 fg_v_fabd_##N(C *ctx, v128 n, v128 m) { return fg_v_fabs_##N(ctx, fg_v_fsub_##N(ctx, n, m)); } \
    FG_INLINE v128 fg_v_fmla_##N(C *ctx, v128 d, v128 n, v128 m) { \
        FV r = __builtin_elementwise_fma((FV)n, (FV)m, (FV)d); \
        return fg_anynan_##N(r) ? fg_vrepair3_##N(ctx, r, (FV)d, (FV)n, (FV)m) : (v128)r; \
    } \
    FG_INLINE v128 fg_v_fmls_##N(C *ctx, v128 d, v128 n, v128 m) { return fg_v_fmla_##N(ctx, d, fg_v_fneg_##N(ctx, n), m); } \
    FG_INLINE v128 fg_v_fmulx_##N(C *ctx, v128 n, v128 m) { FV a = (FV)n, b = (FV)m, r = a; FG_LANES(N) r[i] = fg_fmulx##N(ctx, a[i], b[i]); return (v128)r; } \
    FG_INLINE v128 fg_v_frecps_##N(C *ctx, v128 n, v128 m) { FV a = (FV)n, b = (FV)m, r = a; FG_LANES(N) r[i] = fg_frecps##N(ctx, a[i], b[i]); return (v128)r; } \
    FG_INLINE v128 fg_v_frsqrts_##N(C *ctx, v128 n, v128 m) { FV a = (FV)n, b = (FV)m, r = a; FG_LANES(N) r[i] = fg_frsqrts##N(ctx, a[i], b[i]); return (v128)r; } \
    FG_COLD v128 fg_vslow_fmax_##N(C *ctx, v128 n, v128 m) { FV a = (FV)n, b = (FV)m, r = a; FG_LANES(N) r[i] = fg_fmax##N(ctx, a[i], b[i]); return (v128)r; } \
    FG_COLD v128 fg_vslow_fmin_##N(C *ctx, v128 n, v128 m) { FV a = (FV)n, b = (FV)m, r = a; FG_LANES(N) r[i] = fg_fmin##N(ctx, a[i], b[i]); return (v128)r; } \
    FG_COLD v128 fg_vslow_fmaxnm_##N(C *ctx, v128 n, v128 m) { FV a = (FV)n, b = (FV)m, r = a; FG_LANES(N) r[i] = fg_fmaxnm##N(ctx, a[i], b[i]); return (v128)r; } \
    FG_COLD v128 fg_vslow_fminnm_##N(C *ctx, v128 n, v128 m) { FV a = (FV)n, b = (FV)m, r = a; FG_LANES(N) r[i] = fg_fminnm##N(ctx, a[i], b[i]); return (v128)r; } \
    FG_INLINE v128 fg_vmax_##N(v128 n, v128 m) { v128 gt = (v128)((FV)n > (FV)m), eq = (v128)((FV)n == (FV)m); return (gt & n) | (~gt & m & (n | ~eq)); } \
    FG_INLINE v128 fg_vmin_##N(v128 n, v128 m) { v128 lt = (v128)((FV)n < (FV)m), eq = (v128)((FV)n == (FV)m); return (lt & n) | (~lt & (m | (n & eq))); } \
    FG_INLINE int fg_unordered_##N(v128 n, v128 m) { v128 u = (v128)((FV)n != (FV)n) | (v128)((FV)m != (FV)m); return FG_UNLIKELY((u[0] | u[1]) != 0); } \
    FG_INLINE v128 fg_v_fmax_##N(C *ctx, v128 n, v128 m) { return fg_unordered_##N(n, m) ? fg_vslow_fmax_##N(ctx, n, m) : fg_vmax_##N(n, m); } \
    FG_INLINE v128 fg_v_fmin_##N(C *ctx, v128 n, v128 m) { return fg_unordered_##N(n, m) ? fg_vslow_fmin_##N(ctx, n, m) : fg_vmin_##N(n, m); } \
    FG_INLINE v128 fg_v_fmaxnm_##N(C *ctx, v128 n, v128 m) { return fg_unordered_##N(n, m) ? fg_vslow_fmaxnm_##N(ctx, n, m) : fg_vmax_##N(n, m); } \
    FG_INLINE v128 fg_v_fminnm_##N(C *ctx, v128 n, v128 m) { return fg_unordered_##N(n, m) ? fg_vslow_fminnm_##N(ctx, n, m) : fg_vmin_##N(n, m); } \
    FG_INLINE v128 fg_v_fcmeq_##N(C *ctx, v128 n, v128 m) { return (v128)((FV)n == (FV)m); } \
    FG_INLINE v128 fg_v_fcmge_##N(C *ctx, v128 n, v128 m) { return (v128)((FV)n >= (FV)m); } \
    FG_INLINE v128 fg_v_fcmgt_##N(C *ctx, v128 n, v128 m) { return (v128)((FV)n > (FV)m); } \
    FG_INLINE v128 fg_v_facge_##N(C *ctx, v128 n, v128 m) { return (v128)((FV)fg_v_fabs_##N(ctx, n) >= (FV)fg_v_fabs_##N(ctx, m)); } \
    FG_INLINE v128 fg_v_facgt_##N(C *ctx, v128 n, v128 m) { return (v128)((FV)fg_v_fabs_##N(ctx, n) > (FV)fg_v_fabs_##N(ctx, m)); } \
    FG_INLINE v128 fg_v_fcmeq0_##N(C *ctx, v128 n) { return (v128)((FV)n == 0); } \
    FG_INLINE v128 fg_v_fcmge0_##N(C *ctx, v128 n) { return (v128)((FV)n >= 0); } \
    FG_INLINE v128 fg_v_fcmgt0_##N(C *ctx, v128 n) { return (v128)((FV)n > 0); } \
    FG_INLINE v128 fg_v_fcmle0_##N(C *ctx, v128 n) { return (v128)((FV)n <= 0); } \
    FG_INLINE v128 fg_v_fcmlt0_##N(C *ctx, v128 n) { return (v128)((FV)n < 0); } \
    FG_INLINE v128 fg_v_fsqrt_##N(C *ctx, v128 n) { FV r = __builtin_elementwise_sqrt((FV)n); return fg_anynan_##N(r) ? fg_vrepair2_##N(ctx, r, (FV)n, (FV)n) : (v128)r; } \
    FG_VMAP(frintn, N, FV) FG_VMAP(frintp, N, FV) FG_VMAP(frintm, N, FV) FG_VMAP(frintz, N, FV) FG_VMAP(frinta, N, FV) FG_VMAP(frintx, N, FV) FG_VMAP(frinti, N, FV) \
    FG_VMAP(frecpe, N, FV) FG_VMAP(frsqrte, N, FV) \
    FG_VCVT(fcvtns, N, FV, UV, n, s) FG_VCVT(fcvtps, N, FV, UV, p, s) FG_VCVT(fcvtms, N, FV, UV, m, s) FG_VCVT(fcvtzs, N, FV, UV, z, s) FG_VCVT(fcvtas, N, FV, UV, a, s) \
    FG_VCVT(fcvtnu, N, FV, UV, n, u) FG_VCVT(fcvtpu, N, FV, UV, p, u) FG_VCVT(fcvtmu, N, FV, UV, m, u) FG_VCVT(fcvtzu, N, FV, UV, z, u) FG_VCVT(fcvtau, N, FV, UV, a, u) \
    FG_INLINE v128 fg_v_scvtf_##N(C *ctx, v128 n) { return (v128)__builtin_convertvector((s##N##v)n, FV); } \
    FG_INLINE v128 fg_v_ucvtf_##N(C *ctx, v128 n); \
    FG_INLINE F fg_exp2_##N(s32 e); \
    FG_INLINE v128 fg_v_scvtf_fixed_##N(C *ctx, v128 n, int bits) { return (v128)(__builtin_convertvector((s##N##v)n, FV) * fg_exp2_##N(-bits)); } \
    FG_INLINE v128 fg_v_ucvtf_fixed_##N(C *ctx, v128 n, int bits) { return (v128)((FV)fg_v_ucvtf_##N(ctx, n) * fg_exp2_##N(-bits)); } \
    FG_INLINE v128 fg_v_fcvtzs_fixed_##N(C *ctx, v128 n, int bits) { return fg_v_fcvtzs_##N(ctx, (v128)((FV)n * fg_exp2_##N(bits))); } \
    FG_INLINE v128 fg_v_fcvtzu_fixed_##N(C *ctx, v128 n, int bits) { return fg_v_fcvtzu_##N(ctx, (v128)((FV)n * fg_exp2_##N(bits))); }
#define FG_VMAP(OP, N, FV) FG_INLINE v128 fg_v_##OP##_##N(C *ctx, v128 n) { FV a = (FV)n, r = a; FG_LANES(N) r[i] = fg_##OP##N(ctx, a[i]); return (v128)r; }
#define FG_VCVT(OP, N, FV, UV, RND, SU) FG_INLINE v128 fg_v_##OP##_##N(C *ctx, v128 n) { FV a = (FV)n; UV r; FG_LANES(N) r[i] = (__typeof__(r[0]))fg_sat_##SU##N##_##N(fg_rn_##RND##N(a[i])); return (v128)r; }
FG_VF(32, f32v, u32v, f32, u32, fg_b32, fg_f32)
FG_VF(64, f64v, u64v, f64, u64, fg_b64, fg_f64)
/* Halves convert exactly; their sum rounds once, and never to -0. */
FG_INLINE v128 fg_v_ucvtf_32(C *ctx, v128 n) {
    u32v high = (u32v)n >> 16, low = (u32v)n & 0xFFFF;
    /* Keeps the compiler from making these unsigned conversions, whose sequence does. */
    __asm__("" : "+x"(high), "+x"(low));
    return (v128)(__builtin_convertvector((s32v)high, f32v) * 65536.0f + __builtin_convertvector((s32v)low, f32v));
}
FG_INLINE v128 fg_v_ucvtf_64(C *ctx, v128 n) { return (v128)(f64v){fg_u64_f64(n[0]), fg_u64_f64(n[1])}; }
FG_INLINE f32 fg_exp2_32(s32 e) { return fg_f32((u32)(e + 127) << 23); }
FG_INLINE f64 fg_exp2_64(s32 e) { return fg_f64((u64)(e + 1023) << 52); }

FG_INLINE v128 fg_v_fcvtl_16(C *ctx, v128 n) { u16v a = (u16v)n; f32v r; for (int i = 0; i < 4; i++) r[i] = fg_fcvt_h_s(ctx, a[i]); return (v128)r; }
FG_INLINE v128 fg_v_fcvtl_32(C *ctx, v128 n) { f32v a = (f32v)n; return (v128)(f64v){fg_fcvt_s_d(ctx, a[0]), fg_fcvt_s_d(ctx, a[1])}; }
FG_INLINE v128 fg_v_fcvtn_16(C *ctx, v128 n) { f32v a = (f32v)n; u16v r = {}; for (int i = 0; i < 4; i++) r[i] = (u16)fg_fcvt_s_h(ctx, a[i]); return (v128)r; }
FG_INLINE v128 fg_v_fcvtn_32(C *ctx, v128 n) { f64v a = (f64v)n; return (v128)(f32v){fg_fcvt_d_s(ctx, a[0]), fg_fcvt_d_s(ctx, a[1]), 0, 0}; }
FG_INLINE v128 fg_v_fcvtxn_32(C *ctx, v128 n) { f64v a = (f64v)n; return (v128)(f32v){fg_fcvtxn(ctx, a[0]), fg_fcvtxn(ctx, a[1]), 0, 0}; }

/* ---- cryptographic extension */
FG_HIDDEN v128 fg_aes_shift_sub(v128 state, int inverse);
FG_INLINE v128 fg_aese(v128 d, v128 n) { return fg_aes_shift_sub(d ^ n, 0); }
FG_INLINE v128 fg_aesd(v128 d, v128 n) { return fg_aes_shift_sub(d ^ n, 1); }
FG_INLINE u8v fg_gf2(u8v a) { return (a << 1) ^ ((u8v)((s8v)a < 0) & 0x1B); }
FG_INLINE u8v fg_column(u8v a, int by) {
    return by == 1 ? __builtin_shufflevector(a, a, 1, 2, 3, 0, 5, 6, 7, 4, 9, 10, 11, 8, 13, 14, 15, 12)
        : by == 2 ? __builtin_shufflevector(a, a, 2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13)
        : __builtin_shufflevector(a, a, 3, 0, 1, 2, 7, 4, 5, 6, 11, 8, 9, 10, 15, 12, 13, 14);
}
FG_INLINE v128 fg_aesmc(v128 n) { u8v a = (u8v)n, b = fg_gf2(a); return (v128)(b ^ fg_column(a ^ b, 1) ^ fg_column(a, 2) ^ fg_column(a, 3)); }
FG_INLINE v128 fg_aesimc(v128 n) {
    u8v a = (u8v)n, b = fg_gf2(a), c = fg_gf2(b), d = fg_gf2(c);
    return (v128)((b ^ c ^ d) ^ fg_column(a ^ b ^ d, 1) ^ fg_column(a ^ c ^ d, 2) ^ fg_column(a ^ d, 3));
}
FG_INLINE v128 fg_sha1h(v128 n) { return (v128){__builtin_rotateleft32((u32)n[0], 30), 0}; }
FG_INLINE v128 fg_sha1su0(v128 d, v128 n, v128 m) { return (v128){d[1], n[0]} ^ d ^ m; }
FG_INLINE v128 fg_sha1su1(v128 d, v128 n) {
    u32v t = (u32v)d ^ __builtin_shufflevector((u32v)n, (u32v){}, 1, 2, 3, 4), r;
    for (int i = 0; i < 4; i++) r[i] = __builtin_rotateleft32(t[i], 1);
    r[3] ^= __builtin_rotateleft32(t[0], 2);
    return (v128)r;
}
FG_INLINE v128 fg_sha1_rounds(v128 d, v128 n, v128 m, int kind) {
    u32v x = (u32v)d, w = (u32v)m;
    u32 y = (u32)n[0];
    for (int i = 0; i < 4; i++) {
        u32 b = x[1], c = x[2], e = x[3];
        u32 t = kind == 0 ? (b & c) ^ (~b & e) : kind == 1 ? b ^ c ^ e : (b & c) | ((b | c) & e);
        u32 next = y + __builtin_rotateleft32(x[0], 5) + t + w[i];
        y = x[3];
        x = (u32v){next, x[0], __builtin_rotateleft32(b, 30), c};
    }
    return (v128)x;
}
FG_INLINE v128 fg_sha1c(v128 d, v128 n, v128 m) { return fg_sha1_rounds(d, n, m, 0); }
FG_INLINE v128 fg_sha1p(v128 d, v128 n, v128 m) { return fg_sha1_rounds(d, n, m, 1); }
FG_INLINE v128 fg_sha1m(v128 d, v128 n, v128 m) { return fg_sha1_rounds(d, n, m, 2); }
FG_INLINE u32 fg_ror(u32 v, u32 n) { return __builtin_rotateright32(v, n); }
FG_INLINE v128 fg_sha256_rounds(v128 first, v128 second, v128 m, int part1) {
    u32v x = (u32v)first, y = (u32v)second, w = (u32v)m;
    for (int i = 0; i < 4; i++) {
        u32 chs = (y[0] & y[1]) ^ (~y[0] & y[2]), maj = (x[0] & x[1]) | ((x[0] | x[1]) & x[2]);
        u32 t = y[3] + (fg_ror(y[0], 6) ^ fg_ror(y[0], 11) ^ fg_ror(y[0], 25)) + chs + w[i];
        u32 x3 = t + x[3], y3 = t + (fg_ror(x[0], 2) ^ fg_ror(x[0], 13) ^ fg_ror(x[0], 22)) + maj;
        u32v nx = {y3, x[0], x[1], x[2]};
        y = (u32v){x3, y[0], y[1], y[2]};
        x = nx;
    }
    return (v128)(part1 ? x : y);
}
FG_INLINE v128 fg_sha256h(v128 d, v128 n, v128 m) { return fg_sha256_rounds(d, n, m, 1); }
FG_INLINE v128 fg_sha256h2(v128 d, v128 n, v128 m) { return fg_sha256_rounds(n, d, m, 0); }
FG_INLINE v128 fg_sha256su0(v128 d, v128 n) {
    u32v a = (u32v)d, t = __builtin_shufflevector((u32v)d, (u32v)n, 1, 2, 3, 4), r;
    for (int i = 0; i < 4; i++) r[i] = a[i] + (fg_ror(t[i], 7) ^ fg_ror(t[i], 18) ^ (t[i] >> 3));
    return (v128)r;
}
FG_INLINE v128 fg_sha256su1(v128 d, v128 n, v128 m) {
    u32v a = (u32v)d, b = __builtin_shufflevector((u32v)n, (u32v)m, 1, 2, 3, 4), c = (u32v)m, r = {};
    r[0] = a[0] + b[0] + (fg_ror(c[2], 17) ^ fg_ror(c[2], 19) ^ (c[2] >> 10));
    r[1] = a[1] + b[1] + (fg_ror(c[3], 17) ^ fg_ror(c[3], 19) ^ (c[3] >> 10));
    r[2] = a[2] + b[2] + (fg_ror(r[0], 17) ^ fg_ror(r[0], 19) ^ (r[0] >> 10));
    r[3] = a[3] + b[3] + (fg_ror(r[1], 17) ^ fg_ror(r[1], 19) ^ (r[1] >> 10));
    return (v128)r;
}

#endif
