/* Stands in for lifted code: two modules, "main" and "subsdk0", written by hand against ABI v1. Registers that matter live in the context, as in the
 * uniform entries of real lifted code. BASE is the guest address of main; subsdk0 follows at BASE + SUB. */
#include <stddef.h>
#include "ferrograph_abi.h"

#define SUB 0x5000ull
#define GOT (BASE + 0x2000)
#define SCENARIO (BASE + 0x2F00)
#define RESULTS (BASE + 0x3000)
#define ENTRY(n) (BASE + 0x100 + 16 * (n))
#define SUB_ENTRY(n) (BASE + SUB + 0x100 + 16 * (n))
/* Link register of calls made here: inside main's text. */
#define RETURN (BASE + 0x800)

static const struct fg_host *host;
static void (*main_entries[0x400])(struct fg_context *);
static void (*sub_entries[0x400])(struct fg_context *);

enum import {
    SET_HEAP, ALLOCATE_BLOCK, INIT_ALLOCATOR, CREATE_THREAD, START_THREAD, WAIT_THREAD, DESTROY_THREAD, INIT_MUTEX, LOCK_MUTEX, UNLOCK_MUTEX, INIT_EVENT, SIGNAL_EVENT,
    WAIT_EVENT, GET_TICK, CURRENT_THREAD, QUERY_CACHE, MOUNT_ROM, OPEN_FILE, FILE_SIZE, READ_FILE, CLOSE_FILE, HID_STYLES, HID_STATE, VI_DISPLAY, VI_LAYER, VI_WINDOW,
    SNPRINTF, ABORT, MISSING, MALLOC, FREE, QSORT, SUB_ANSWER, SUB_DATA, INIT_CV, WAIT_CV, SIGNAL_CV, SLEEP, NEXT_FRAME, WEAK, CORE_NUMBER, YIELD, HID_STYLE_OF
};

static uint64_t load(uint64_t address) { return *(volatile uint64_t *)address; }
static void store(uint64_t address, uint64_t value) { *(volatile uint64_t *)address = value; }
static uint64_t slot(enum import n) { return load(GOT + 8 * n); }

/* What a lifted indirect call does: poll, own tables, then the host. */
static void dispatch(struct fg_context *ctx, uint64_t pc) {
    if (__atomic_load_n(&ctx->yield_requested, __ATOMIC_RELAXED)) host->yield(ctx);
    if (pc - BASE < 0x1000 && main_entries[(pc - BASE) / 4]) main_entries[(pc - BASE) / 4](ctx);
    else if (pc - (BASE + SUB) < 0x1000 && sub_entries[(pc - BASE - SUB) / 4]) sub_entries[(pc - BASE - SUB) / 4](ctx);
    else host->call(ctx, pc);
}

static uint64_t call(struct fg_context *ctx, enum import n, uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e, uint64_t f, uint64_t g) {
    uint64_t link = ctx->x[30];
    ctx->x[0] = a, ctx->x[1] = b, ctx->x[2] = c, ctx->x[3] = d, ctx->x[4] = e, ctx->x[5] = f, ctx->x[6] = g;
    ctx->x[30] = RETURN + 4 * n;
    dispatch(ctx, slot(n));
    ctx->x[30] = link;
    return ctx->x[0];
}
#define CALL0(n) call(ctx, n, 0, 0, 0, 0, 0, 0, 0)
#define CALL1(n, a) call(ctx, n, a, 0, 0, 0, 0, 0, 0)
#define CALL2(n, a, b) call(ctx, n, a, b, 0, 0, 0, 0, 0)
#define CALL3(n, a, b, c) call(ctx, n, a, b, c, 0, 0, 0, 0)
#define CALL4(n, a, b, c, d) call(ctx, n, a, b, c, d, 0, 0, 0)

static uint64_t svc(struct fg_context *ctx, uint32_t number) {
    ctx->pc = RETURN + 0x400;
    host->svc(ctx, number);
    return ctx->x[0];
}

/* Guest objects live in main's bss from here on. */
#define OBJECTS (BASE + 0x3800)
#define MUTEX (OBJECTS + 0x000)
#define EVENT (OBJECTS + 0x040)
#define CV (OBJECTS + 0x080)
#define THREAD_A (OBJECTS + 0x100)
#define THREAD_B (OBJECTS + 0x300)
#define SCRATCH (OBJECTS + 0x500)
#define COUNTER (RESULTS + 0x200)

static void nninit_startup(struct fg_context *ctx) {
    store(RESULTS + 0, CALL1(SET_HEAP, 64 << 20));
    store(RESULTS + 8, CALL2(ALLOCATE_BLOCK, SCRATCH, 32 << 20));
    CALL2(INIT_ALLOCATOR, load(SCRATCH), 32 << 20);
}

static void note(uint64_t what) {
    uint64_t n = load(RESULTS + 0x100);
    store(RESULTS + 0x108 + 8 * n, what);
    store(RESULTS + 0x100, n + 1);
}
static void constructor_main_1(struct fg_context *ctx) { (void)ctx; note(1); }
static void constructor_main_2(struct fg_context *ctx) { (void)ctx; note(2); }
static void constructor_sub(struct fg_context *ctx) { (void)ctx; note(3); }
static void destructor_main(struct fg_context *ctx) { (void)ctx; note(9); }

/* subsdk0's exported function: returns its argument plus 40. */
static void sub_answer(struct fg_context *ctx) { ctx->x[0] += 40; }

/* Thread entry: adds 1000 to the shared counter under the mutex, then says so. */
static void worker(struct fg_context *ctx) {
    uint64_t rounds = ctx->x[0];
    for (uint64_t i = 0; i < rounds; i++) {
        CALL1(LOCK_MUTEX, MUTEX);
        uint64_t value = load(COUNTER);
        if (i % 64 == 0) CALL0(YIELD);
        store(COUNTER, value + 1);
        CALL1(UNLOCK_MUTEX, MUTEX);
        if (__atomic_load_n(&ctx->yield_requested, __ATOMIC_RELAXED)) host->yield(ctx);
    }
    CALL1(LOCK_MUTEX, MUTEX);
    store(COUNTER + 8, load(COUNTER + 8) + 1);
    CALL1(SIGNAL_CV, CV);
    CALL1(UNLOCK_MUTEX, MUTEX);
    ctx->x[0] = 0;
}

static void compare_words(struct fg_context *ctx) {
    uint64_t a = load(ctx->x[0]), b = load(ctx->x[1]);
    ctx->x[0] = (uint32_t)(a < b ? -1 : a > b);
}

static void threads(struct fg_context *ctx) {
    CALL3(INIT_MUTEX, MUTEX, 0, 0);
    CALL3(INIT_EVENT, EVENT, 0, 1);
    CALL1(INIT_CV, CV);
    uint64_t stacks = CALL1(MALLOC, 0x23000);
    stacks = (stacks + 0xFFF) & ~0xFFFull;
    uint64_t a = call(ctx, CREATE_THREAD, THREAD_A, ENTRY(5), 1000, stacks, 0x10000, 16, 1);
    uint64_t b = call(ctx, CREATE_THREAD, THREAD_B, ENTRY(5), 1000, stacks + 0x10000, 0x10000, 16, 2);
    store(RESULTS + 0x10, a | b);
    CALL1(START_THREAD, THREAD_A);
    CALL1(START_THREAD, THREAD_B);
    CALL1(LOCK_MUTEX, MUTEX);
    while (load(COUNTER + 8) < 2) CALL2(WAIT_CV, CV, MUTEX);
    CALL1(UNLOCK_MUTEX, MUTEX);
    CALL1(WAIT_THREAD, THREAD_A);
    CALL1(WAIT_THREAD, THREAD_B);
    store(RESULTS + 0x18, load(COUNTER));
    CALL1(DESTROY_THREAD, THREAD_A);
    CALL1(DESTROY_THREAD, THREAD_B);
    CALL1(SIGNAL_EVENT, EVENT);
    CALL1(WAIT_EVENT, EVENT);
    store(RESULTS + 0x20, *(volatile uint8_t *)(EVENT + 0x10)); /* cleared again: automatic */
    store(RESULTS + 0x28, CALL0(CURRENT_THREAD) == load(ctx->tpidrro_el0 + 0x1F8));
}

static void files(struct fg_context *ctx) {
    /* Strings in guest memory: main's read-only segment, at BASE + 0x1000: "rom", "rom:/hello.txt", "rom:/../secret", "%s %05d %.2f". */
    CALL1(QUERY_CACHE, SCRATCH);
    store(RESULTS + 0x30, load(SCRATCH) != 0);
    uint64_t cache = CALL1(MALLOC, load(SCRATCH));
    store(RESULTS + 0x38, CALL3(MOUNT_ROM, BASE + 0x1000, cache, load(SCRATCH)));
    store(RESULTS + 0x40, CALL3(OPEN_FILE, SCRATCH, BASE + 0x1040, 1));
    uint64_t file = load(SCRATCH);
    CALL2(FILE_SIZE, SCRATCH + 8, file);
    store(RESULTS + 0x48, load(SCRATCH + 8));
    store(RESULTS + 0x50, CALL4(READ_FILE, file, 0, SCRATCH + 0x10, 5));
    store(RESULTS + 0x58, load(SCRATCH + 0x10) & 0xFFFFFFFFFFull);
    store(RESULTS + 0x60, CALL4(READ_FILE, file, 1, SCRATCH + 0x10, 500));
    CALL1(CLOSE_FILE, file);
    store(RESULTS + 0x68, CALL3(OPEN_FILE, SCRATCH, BASE + 0x1080, 1));
}

static void nn_main(struct fg_context *ctx) {
    /* A frame record, as every AArch64 function makes one. */
    uint64_t old_fp = ctx->x[29];
    ctx->sp -= 32;
    store(ctx->sp, old_fp), store(ctx->sp + 8, ctx->x[30]);
    ctx->x[29] = ctx->sp;
    switch (load(SCENARIO)) {
    case 1: call(ctx, ABORT, BASE + 0x1000, BASE + 0x1000, BASE + 0x1000, 77, 0, 0, 0); break;
    case 2: ctx->x[30] = RETURN; store(0x123456789000ull & ~0xFFFull, 1); break;
    case 3: host->trap(ctx, BASE + 0x404, 0xD4200000, "brk"); break;
    case 4: dispatch(ctx, BASE + 0x900); break;
    case 5: for (;;) dispatch(ctx, slot(YIELD)); break;
    case 6: CALL1(LOCK_MUTEX, 0x10); break;
    }
    threads(ctx);
    files(ctx);
    CALL1(HID_STYLES, 1);
    store(SCRATCH, 0);
    CALL2(HID_STATE, SCRATCH + 0x40, SCRATCH);
    store(RESULTS + 0x70, load(SCRATCH + 0x48)); /* buttons */
    CALL0(NEXT_FRAME);
    CALL2(HID_STATE, SCRATCH + 0x40, SCRATCH);
    store(RESULTS + 0x78, load(SCRATCH + 0x48));
    CALL1(VI_DISPLAY, SCRATCH);
    store(RESULTS + 0x80, CALL2(VI_LAYER, SCRATCH + 8, load(SCRATCH)));
    store(RESULTS + 0x88, CALL2(VI_WINDOW, SCRATCH + 16, load(SCRATCH + 8)));
    ctx->v[0][0] = 0x4009000000000000ull; /* 3.125 */
    call(ctx, SNPRINTF, RESULTS + 0x280, 32, BASE + 0x10C0, BASE + 0x1000, 42, 0, 0);
    store(RESULTS + 0x90, CALL0(MISSING));
    store(RESULTS + 0x98, CALL0(MISSING));
    store(RESULTS + 0xA0, slot(WEAK));
    store(RESULTS + 0xA8, CALL1(SUB_ANSWER, 2));
    store(RESULTS + 0xB0, slot(SUB_DATA) - (BASE + SUB));
    for (int i = 0; i < 5; i++) store(SCRATCH + 8 * i, (i * 7 + 3) % 5);
    CALL4(QSORT, SCRATCH, 5, 8, ENTRY(6));
    uint64_t sorted = 0;
    for (int i = 0; i < 5; i++) sorted = sorted * 16 + load(SCRATCH + 8 * i);
    store(RESULTS + 0xB8, sorted);
    /* Supervisor calls: tick, current core, GetInfo of the heap's base. */
    uint64_t tick = svc(ctx, 0x1E);
    store(RESULTS + 0xC0, svc(ctx, 0x1E) > tick);
    ctx->x[1] = 4, ctx->x[2] = 0xFFFF8001, ctx->x[3] = 0;
    store(RESULTS + 0xC8, svc(ctx, 0x29));
    store(RESULTS + 0xD0, ctx->x[1]);
    store(RESULTS + 0xD8, svc(ctx, 0x7F)); /* not implemented */
    store(RESULTS + 0xE0, host->read_system_register(ctx, 0x5F00));
    CALL1(SLEEP, 1000000);
    ctx->x[29] = old_fp;
    ctx->sp += 32;
    store(RESULTS + 0xF8, 0x600D);
}

static void enter(struct fg_context *ctx, uint64_t pc) { dispatch(ctx, pc); }
static void attach(const struct fg_host *h) {
    host = h;
    main_entries[(0x100 + 16 * 0) / 4] = nn_main;
    main_entries[(0x100 + 16 * 1) / 4] = nninit_startup;
    main_entries[(0x100 + 16 * 2) / 4] = constructor_main_1;
    main_entries[(0x100 + 16 * 3) / 4] = constructor_main_2;
    main_entries[(0x100 + 16 * 4) / 4] = destructor_main;
    main_entries[(0x100 + 16 * 5) / 4] = worker;
    main_entries[(0x100 + 16 * 6) / 4] = compare_words;
    sub_entries[(0x100 + 16 * 0) / 4] = sub_answer;
    sub_entries[(0x100 + 16 * 1) / 4] = constructor_sub;
}

static const uint64_t main_starts[] = {BASE + 0x100, BASE + 0x110, BASE + 0x120, BASE + 0x130, BASE + 0x140, BASE + 0x150, BASE + 0x160};
static const uint64_t sub_starts[] = {BASE + SUB + 0x100, BASE + SUB + 0x110};
static const struct fg_module modules[] = {
    {"main", {0xAA, 1}, BASE, BASE, BASE + 0x1000, main_entries, main_starts, 7, 0},
    {"subsdk0", {0xAA, 2}, BASE + SUB, BASE + SUB, BASE + SUB + 0x1000, sub_entries, sub_starts, 2, 0},
};
#ifndef MAGIC
#define MAGIC 0x314D4746
#endif
#ifndef ABI
#define ABI FG_ABI_VERSION
#endif
#ifndef LEVEL
#define LEVEL 1
#endif
const struct fg_manifest fg_manifest = {MAGIC, ABI, LEVEL, 2, modules, "hand", "hand", attach, enter};
