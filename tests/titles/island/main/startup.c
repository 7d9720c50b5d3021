/* What the host calls: nninitStartup before the constructors, nnMain after them. */
#include "base.h"
#include "game.h"

#include <nn/diag.h>
#include <nn/init.h>
#include <nn/os.h>

enum {
    HEAP_SIZE = 0x0A000000,
    MALLOC_SIZE = 0x00200000,
};

static struct {
    uint8_t* next;
    uint8_t* end;
} arena;

/* Set by the constructor, which runs on the main thread before nnMain. */
static nn_os_ThreadType* main_thread;
static nn_diag_LogMetaData log_metadata;

ISLAND_EXPORT void nninitStartup(void);
ISLAND_EXPORT void nnMain(void);

_Noreturn void check_failed(const char* condition, const char* function, const char* file, int line)
{
    nn_diag_AbortImpl(condition, function, file, line);
}

void log_line(const char* text, uint64_t amount)
{
    char number[24] = "";
    if (amount != 0) {
        isl_append_number(isl_append(number, " "), amount, 1);
    }
    nn_diag_LogImpl(&log_metadata, "island: %s%s\n", text, number);
}

void* arena_allocate(size_t size, size_t alignment)
{
    const uintptr_t start = ((uintptr_t)arena.next + alignment - 1) & ~(uintptr_t)(alignment - 1);
    CHECK(start <= (uintptr_t)arena.end && size <= (uintptr_t)arena.end - start);
    arena.next = (uint8_t*)start + size;
    return (void*)start;
}

void nninitStartup(void)
{
    uintptr_t block = 0;
    CHECK_RESULT(nn_os_SetMemoryHeapSize(HEAP_SIZE));
    CHECK_RESULT(nn_os_AllocateMemoryBlock(&block, HEAP_SIZE));
    nn_init_InitializeAllocator((void*)block, MALLOC_SIZE);
    arena.next = (uint8_t*)block + MALLOC_SIZE;
    arena.end = (uint8_t*)block + HEAP_SIZE;
}

__attribute__((constructor)) static void module_start(void)
{
    main_thread = nn_os_GetCurrentThread();
}

__attribute__((destructor)) static void module_end(void)
{
    main_thread = NULL;
    log_line("main module ends", 0);
}

void island_asset_event(island_event event, const char* what, size_t amount)
{
    /* The other module's constructor runs before this one's and may only be noted. */
    if (event == ISLAND_EVENT_MODULE_READY) {
        return;
    }
    log_line(what, amount);
}

/* The support module is there, of the right version, and its functions work when called through pointers. */
static void check_support(void)
{
    /* volatile: the calls shall go through the table, which the loader fills. */
    static double (*const volatile waves[])(double) = { isl_sin, isl_cos };
    double power = 0.0;
    for (size_t i = 0; i < COUNT_OF(waves); i++) {
        const double wave = waves[i](0.7);
        power += wave * wave;
    }
    CHECK(isl_ready() && isl_module_info.version == ISL_VERSION);
    CHECK(power > 1.0 - 1e-12 && power < 1.0 + 1e-12);
    log_line(isl_module_info.name, isl_module_info.version);
}

void nnMain(void)
{
    CHECK(main_thread != NULL && main_thread == nn_os_GetCurrentThread());
    check_support();
    log_line("start", 0);
    game_start();
    while (game_frame()) {
    }
    game_end();
    log_line("end", 0);
}
