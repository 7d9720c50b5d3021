#include "gpu.h"

#include "assets.h"

#include <nn/nv.h>

enum {
    DRIVER_MEMORY = 0x00800000,
    COMMAND_POOL = 0x00200000,
    DYNAMIC_POOL = 0x00100000,
    BUFFER_POOL = 0x00080000,
    TARGET_POOL = 0x05800000,
    TEXTURE_POOL = 0x00400000,
    WRITTEN_TEXTURE_POOL = 0x00040000,
    CODE_POOL = 0x00040000,
    DESCRIPTOR_POOL = 0x00010000,
    /* Bytes of scratch a warp of the hungriest shader uses; every compute shader declares a call stack. */
    SCRATCH_PER_WARP = 0x800,
};

gpu_state gpu;

static void* graphics_allocate(size_t size, size_t alignment, void* user)
{
    (void)user;
    return arena_allocate(size, alignment);
}

static void graphics_free(void* memory, void* user)
{
    /* The arena lives as long as the title. */
    (void)memory;
    (void)user;
}

static void* graphics_reallocate(void* memory, size_t size, void* user)
{
    (void)user;
    void* larger = arena_allocate(size, 64);
    if (memory != NULL) {
        memcpy(larger, memory, size);
    }
    return larger;
}

static int device_integer(NVNdeviceInfo info)
{
    int value = 0;
    nvnDeviceGetInteger(&gpu.device, info, &value);
    return value;
}

static void make_pool(gpu_pool* pool, const char* label, size_t size, int flags)
{
    NVNmemoryPoolBuilder builder;
    size = (size + GPU_PAGE - 1) & ~(size_t)(GPU_PAGE - 1);
    pool->memory = arena_allocate(size, GPU_PAGE);
    pool->size = size;
    pool->used = 0;
    nvnMemoryPoolBuilderSetDevice(&builder, &gpu.device);
    nvnMemoryPoolBuilderSetDefaults(&builder);
    nvnMemoryPoolBuilderSetStorage(&builder, pool->memory, size);
    nvnMemoryPoolBuilderSetFlags(&builder, flags);
    CHECK(nvnMemoryPoolInitialize(&pool->pool, &builder));
    nvnMemoryPoolSetDebugLabel(&pool->pool, label);
    pool->address = nvnMemoryPoolGetBufferAddress(&pool->pool);
    if ((flags & NVN_MEMORY_POOL_FLAGS_CPU_NO_ACCESS) == 0) {
        CHECK(nvnMemoryPoolMap(&pool->pool) == pool->memory);
    }
}

size_t gpu_allocate(gpu_pool* pool, size_t size, size_t alignment)
{
    const size_t offset = (pool->used + alignment - 1) / alignment * alignment;
    CHECK(offset <= pool->size && size <= pool->size - offset);
    pool->used = offset + size;
    return offset;
}

static void make_device(void)
{
    NVNdeviceBuilder builder;
    nv_SetGraphicsAllocator(graphics_allocate, graphics_free, graphics_reallocate, NULL);
    nv_InitializeGraphics(arena_allocate(DRIVER_MEMORY, GPU_PAGE), DRIVER_MEMORY);
    nvn_load_procs(NULL);
    nvnDeviceBuilderSetDefaults(&builder);
    nvnDeviceBuilderSetFlags(&builder, 0);
    CHECK(nvnDeviceInitialize(&gpu.device, &builder));
    nvn_load_procs(&gpu.device);
    nvnDeviceSetDepthMode(&gpu.device, NVN_DEPTH_MODE_NEAR_IS_ZERO);
    gpu.domain = nvnDeviceGenerateDebugDomainId(&gpu.device, "island");
    gpu.reserved_textures = device_integer(NVN_DEVICE_INFO_RESERVED_TEXTURE_DESCRIPTORS);
    gpu.reserved_samplers = device_integer(NVN_DEVICE_INFO_RESERVED_SAMPLER_DESCRIPTORS);
    CHECK(device_integer(NVN_DEVICE_INFO_UNIFORM_BUFFER_ALIGNMENT) <= 256);
    log_line("NVN major version", (uint64_t)device_integer(NVN_DEVICE_INFO_API_MAJOR_VERSION));
}

static void make_queue(void)
{
    NVNqueueBuilder builder;
    nvnQueueBuilderSetDevice(&builder, &gpu.device);
    nvnQueueBuilderSetDefaults(&builder);
    nvnQueueBuilderSetFlags(&builder, NVN_QUEUE_BUILDER_FLAGS_NONE);
    nvnQueueBuilderSetComputeMemorySize(
        &builder, (size_t)device_integer(NVN_DEVICE_INFO_QUEUE_COMPUTE_MEMORY_DEFAULT_SIZE));
    const size_t size = nvnQueueBuilderGetQueueMemorySize(&builder);
    CHECK(size != 0 && size % GPU_PAGE == 0);
    nvnQueueBuilderSetQueueMemory(&builder, arena_allocate(size, GPU_PAGE), size);
    CHECK(nvnQueueInitialize(&gpu.queue, &builder));
    nvnQueueSetDebugLabel(&gpu.queue, "frame queue");
}

void gpu_start(void)
{
    const int cpu_written = NVN_MEMORY_POOL_FLAGS_CPU_UNCACHED | NVN_MEMORY_POOL_FLAGS_GPU_CACHED;
    const int gpu_only = NVN_MEMORY_POOL_FLAGS_CPU_NO_ACCESS | NVN_MEMORY_POOL_FLAGS_GPU_CACHED;
    make_device();
    make_queue();
    make_pool(&gpu.assets, "assets", ASSET_MEMORY_SIZE,
        NVN_MEMORY_POOL_FLAGS_CPU_CACHED | NVN_MEMORY_POOL_FLAGS_GPU_CACHED);
    make_pool(&gpu.dynamic, "dynamic", DYNAMIC_POOL, cpu_written);
    make_pool(&gpu.buffers, "buffers", BUFFER_POOL, gpu_only);
    make_pool(&gpu.targets, "targets", TARGET_POOL, gpu_only | NVN_MEMORY_POOL_FLAGS_COMPRESSIBLE);
    make_pool(&gpu.textures, "textures", TEXTURE_POOL, gpu_only);
    make_pool(&gpu.written_textures, "written textures", WRITTEN_TEXTURE_POOL, cpu_written);
    make_pool(&gpu.code, "shader code", CODE_POOL, cpu_written | NVN_MEMORY_POOL_FLAGS_SHADER_CODE);
    gpu.code.size -= (size_t)device_integer(NVN_DEVICE_INFO_SHADER_CODE_MEMORY_POOL_PADDING_SIZE);
    make_pool(&gpu.descriptors, "descriptors", DESCRIPTOR_POOL, cpu_written);
    make_pool(&gpu.commands, "commands", COMMAND_POOL,
        NVN_MEMORY_POOL_FLAGS_CPU_UNCACHED | NVN_MEMORY_POOL_FLAGS_GPU_UNCACHED);

    const size_t grain = (size_t)device_integer(NVN_DEVICE_INFO_SHADER_SCRATCH_MEMORY_GRANULARITY);
    const size_t scale = (size_t)device_integer(NVN_DEVICE_INFO_SHADER_SCRATCH_MEMORY_SCALE_FACTOR_RECOMMENDED);
    make_pool(&gpu.scratch, "shader scratch", (scale * SCRATCH_PER_WARP + grain - 1) / grain * grain, gpu_only);
}

void gpu_make_window(void* native_window, NVNtexture* const* textures, int count)
{
    NVNwindowBuilder builder;
    nvnWindowBuilderSetDevice(&builder, &gpu.device);
    nvnWindowBuilderSetDefaults(&builder);
    nvnWindowBuilderSetNativeWindow(&builder, native_window);
    nvnWindowBuilderSetTextures(&builder, count, textures);
    nvnWindowBuilderSetPresentInterval(&builder, 1);
    CHECK(nvnWindowInitialize(&gpu.window, &builder));
}

void gpu_end(void)
{
    gpu_pool* const pools[] = { &gpu.commands, &gpu.descriptors, &gpu.scratch, &gpu.code, &gpu.written_textures,
        &gpu.textures, &gpu.targets, &gpu.buffers, &gpu.dynamic, &gpu.assets };
    for (size_t i = 0; i < COUNT_OF(pools); i++) {
        nvnMemoryPoolFinalize(&pools[i]->pool);
    }
    nvnQueueFinalize(&gpu.queue);
    nvnDeviceFinalize(&gpu.device);
}
