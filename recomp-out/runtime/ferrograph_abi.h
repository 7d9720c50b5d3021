/* ABI v1 between lifted code (one shared object per title) and the host process.
 *
 * Everything the two sides share is in this file; engine/guest mirrors it in `abi.rs`, and a test compares sizes and offsets.
 * Guest addresses are host addresses (identity mapping); modules start at 0x7100000000. All fields are little-endian.
 *
 * Two entries per lifted function:
 *  - the uniform entry `void f(struct fg_context *ctx)`: every guest register lives in `ctx`. Used by the dispatch tables, by hooks, by the host
 *    when it calls guest code (constructors, thread entries, callbacks) and by the interpreter.
 *  - a fast entry, private to the shared object, whose shape may change with FG_ABI_VERSION alone.
 *
 * A guest address that is not lifted code is either a host function (inside [host_text_base, host_text_end), 16 bytes apart) or unlifted.
 */
#ifndef FERROGRAPH_ABI_H
#define FERROGRAPH_ABI_H

#include <stdint.h>

#define FG_ABI_VERSION 1u
#define FG_MANIFEST_SYMBOL "fg_manifest"

typedef uint64_t fg_v128 __attribute__((vector_size(16)));

struct fg_host;

/* The guest's architectural state. 16-byte aligned. */
struct fg_context {
    uint64_t x[31];            /* 0x000: x0..x30 (x30 = link register) */
    uint64_t sp;               /* 0x0F8 */
    fg_v128 v[32];             /* 0x100 */
    uint64_t pc;               /* 0x300: target of a pending dispatch; the faulting or reported pc in host calls */
    uint32_t nzcv;             /* 0x308: bits 31..28 */
    uint32_t fpcr;             /* 0x30C */
    uint32_t fpsr;             /* 0x310 */
    uint32_t yield_requested;  /* 0x314: set by the host (atomically); polled by loops and indirect calls */
    uint64_t tpidr_el0;        /* 0x318 */
    uint64_t tpidrro_el0;      /* 0x320: the thread-local region */
    uint64_t exclusive_address;/* 0x328: ~0 = none */
    uint64_t exclusive_value[2]; /* 0x330 */
    const struct fg_host *host;/* 0x340 */
    void *host_thread;         /* 0x348: owned by engine/guest */
    uint64_t call_depth;       /* 0x350: nested uniform entries, for the stack check */
    uint64_t reserved[5];      /* 0x358..0x380 */
};

/* What the host offers to lifted code. All of them may switch threads before they return; none unwinds. */
struct fg_host {
    uint32_t abi_version;      /* FG_ABI_VERSION */
    uint32_t size;             /* sizeof(struct fg_host) */
    /* svc #imm at ctx->pc. */
    void (*svc)(struct fg_context *ctx, uint32_t immediate);
    /* A call or jump to `target` that no dispatch table of the object holds: a host function, unlifted code or a wild pointer. Returns after the
     * callee returned to the caller's link register (ctx->x[30] at entry). */
    void (*call)(struct fg_context *ctx, uint64_t target);
    /* ctx->yield_requested was seen set. */
    void (*yield)(struct fg_context *ctx);
    /* An instruction that was unknown at lift time, an undefined one, or brk: reported with a guest backtrace; does not return. */
    void (*trap)(struct fg_context *ctx, uint64_t pc, uint32_t word, const char *what) __attribute__((noreturn));
    /* System registers that the host owns: CNTPCT_EL0, CNTVCT_EL0, CNTFRQ_EL0. `which` is the 15-bit op0:op1:CRn:CRm:op2 encoding. */
    uint64_t (*read_system_register)(struct fg_context *ctx, uint32_t which);
};

/* A dense dispatch table: entry[(pc - text_begin) / 4], null where no lifted function or re-entry point starts. */
struct fg_module {
    const char *name;          /* "main", "subsdk0" */
    uint8_t build_id[32];
    uint64_t base;             /* where the loader must place it */
    uint64_t text_begin, text_end;
    void (*const *entries)(struct fg_context *ctx);
    const uint64_t *function_starts; /* sorted guest addresses, for backtraces */
    uint64_t function_count;
    uint64_t unknown_instructions;   /* words that trap */
};

struct fg_manifest {
    uint32_t magic;            /* 'FGM1' = 0x314D4746 */
    uint32_t abi_version;
    uint32_t cpu_level;        /* 1 = x86-64, 3 = x86-64-v3: checked before anything in the object runs */
    uint32_t module_count;
    const struct fg_module *modules;
    const char *lifter_version;
    const char *title_key;     /* hash of all build ids, lifter and options */
    /* Called once by the host before the first entry. */
    void (*attach)(const struct fg_host *host);
    /* Runs guest code at `pc` with the state in ctx until it returns to ctx->x[30]. */
    void (*enter)(struct fg_context *ctx, uint64_t pc);
};

#endif
