/* Runs a lifted static AArch64 program: test_driver TITLE.so PROGRAM.elf [ARGS...]
 * or prints the manifest of a lifted title: test_driver --manifest TITLE.so
 * Maps the ELF at its link address, makes a stack, implements svc write, exit and clock_gettime, prints what the program prints.
 * Environment: FG_DRIVER_YIELD=1 keeps a yield request pending, so that every poll calls the host. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "ferrograph_abi.h"

static int keep_yielding;
static uint64_t yields;

static void fail(const char *what) {
    fprintf(stderr, "test_driver: %s: %s\n", what, strerror(errno));
    exit(3);
}

static void on_svc(struct fg_context *ctx, uint32_t immediate) {
    (void)immediate;
    switch (ctx->x[8]) {
    case 64: {
        ssize_t n = write((int)ctx->x[0], (const void *)ctx->x[1], ctx->x[2]);
        ctx->x[0] = n < 0 ? (uint64_t)-errno : (uint64_t)n;
        return;
    }
    case 93:
    case 94:
        exit((int)ctx->x[0]);
    case 113:
        ctx->x[0] = (uint64_t)clock_gettime((clockid_t)ctx->x[0], (struct timespec *)ctx->x[1]);
        return;
    default:
        fprintf(stderr, "test_driver: system call %llu at %#llx\n", (unsigned long long)ctx->x[8], (unsigned long long)ctx->pc);
        exit(4);
    }
}

static void on_call(struct fg_context *ctx, uint64_t target) {
    fprintf(stderr, "test_driver: call to %#llx, which is not lifted (from %#llx)\n", (unsigned long long)target, (unsigned long long)ctx->x[30]);
    exit(5);
}

static void on_yield(struct fg_context *ctx) {
    yields++;
    if (!keep_yielding) ctx->yield_requested = 0;
}

__attribute__((noreturn)) static void on_trap(struct fg_context *ctx, uint64_t pc, uint32_t word, const char *what) {
    (void)ctx;
    fprintf(stderr, "test_driver: trap at %#llx: %08x %s\n", (unsigned long long)pc, word, what);
    exit(6);
}

static uint64_t on_system_register(struct fg_context *ctx, uint32_t which) {
    (void)ctx;
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return which == 0x5F00 ? 19200000u : (uint64_t)t.tv_sec * 19200000u + (uint64_t)t.tv_nsec * 192 / 10000;
}

static const struct fg_host host = {
    FG_ABI_VERSION, sizeof(struct fg_host), on_svc, on_call, on_yield, on_trap, on_system_register,
};

/* Loads the segments and gives the entry point. */
static uint64_t load(const char *path) {
    int fd = open(path, O_RDONLY);
    if (fd < 0) fail(path);
    Elf64_Ehdr header;
    if (pread(fd, &header, sizeof header, 0) != sizeof header) fail(path);
    for (int i = 0; i < header.e_phnum; i++) {
        Elf64_Phdr segment;
        if (pread(fd, &segment, sizeof segment, (off_t)(header.e_phoff + (uint64_t)i * sizeof segment)) != sizeof segment) fail(path);
        if (segment.p_type != PT_LOAD || !segment.p_memsz) continue;
        uint64_t begin = segment.p_vaddr & ~4095ull, end = (segment.p_vaddr + segment.p_memsz + 4095) & ~4095ull;
        /* Segments may share a page: map what is not mapped yet. */
        for (uint64_t page = begin; page < end;) {
            uint64_t stop = page;
            while (stop < end && mmap((void *)stop, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) != MAP_FAILED) stop += 4096;
            page = stop < end ? stop + 4096 : stop;
        }
        if (pread(fd, (void *)segment.p_vaddr, segment.p_filesz, (off_t)segment.p_offset) != (ssize_t)segment.p_filesz) fail(path);
    }
    close(fd);
    return header.e_entry;
}

static int print_manifest(const char *path) {
    void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    const struct fg_manifest *m = object ? dlsym(object, FG_MANIFEST_SYMBOL) : 0;
    if (!m) {
        fprintf(stderr, "test_driver: %s\n", dlerror());
        return 3;
    }
    printf("magic %08x abi %u level %u\n", m->magic, m->abi_version, m->cpu_level);
    for (uint32_t i = 0; i < m->module_count; i++) {
        const struct fg_module *module = &m->modules[i];
        uint64_t filled = 0;
        for (uint64_t n = 0; n < (module->text_end - module->text_begin) / 4; n++) filled += module->entries[n] != 0;
        printf("%s base %#llx text %#llx-%#llx functions %llu entries %llu unknown %llu\n", module->name, (unsigned long long)module->base,
            (unsigned long long)module->text_begin, (unsigned long long)module->text_end, (unsigned long long)module->function_count,
            (unsigned long long)filled, (unsigned long long)module->unknown_instructions);
    }
    return 0;
}

int main(int argc, char **argv) {
    if (argc == 3 && !strcmp(argv[1], "--manifest")) return print_manifest(argv[2]);
    if (argc < 3) {
        fprintf(stderr, "usage: test_driver TITLE.so PROGRAM.elf [ARGS...]\n");
        return 2;
    }
    keep_yielding = getenv("FG_DRIVER_YIELD") != 0;
    uint64_t entry = load(argv[2]);
    void *object = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    if (!object) {
        fprintf(stderr, "test_driver: %s\n", dlerror());
        return 3;
    }
    const struct fg_manifest *manifest = dlsym(object, FG_MANIFEST_SYMBOL);
    if (!manifest || manifest->magic != 0x314D4746u || manifest->abi_version != FG_ABI_VERSION) {
        fprintf(stderr, "test_driver: %s has no manifest of ABI %u\n", argv[1], FG_ABI_VERSION);
        return 3;
    }
    const size_t stack_size = 8u << 20;
    char *stack = mmap(0, stack_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (stack == MAP_FAILED) fail("stack");
    uint64_t *sp = (uint64_t *)(stack + stack_size - 65536);
    int count = argc - 2;
    sp[0] = (uint64_t)count;
    for (int i = 0; i < count; i++) sp[1 + i] = (uint64_t)argv[2 + i];
    for (int i = count; i < count + 4; i++) sp[1 + i] = 0;
    static struct fg_context ctx __attribute__((aligned(16)));
    static uint64_t tls[64];
    ctx.sp = (uint64_t)sp;
    ctx.host = &host;
    ctx.exclusive_address = ~0ull;
    ctx.tpidrro_el0 = (uint64_t)tls;
    ctx.yield_requested = (uint32_t)keep_yielding;
    manifest->attach(&host);
    manifest->enter(&ctx, entry);
    fprintf(stderr, "test_driver: the program returned\n");
    return 7;
}
