/* The smallest picture: the window is cleared to a colour that follows from the frame's number, and a square in the lower
 * left corner to another. Frame n: background ((n mod 64) * 4, 64, 128), square (255, 255 - (n mod 64) * 4, 0), as bytes
 * of RGBA8. */
#include <nn/diag.h>
#include <nn/oe.h>
#include <nn/os.h>
#include <nn/vi.h>
#include <nvn.h>

enum {
    WIDTH = 1280,
    HEIGHT = 720,
    SQUARE = 128,
    WINDOW_TEXTURES = 2,
    PAGE = 0x1000,
    HEAP_SIZE = 0x02000000,
    COMMAND_SIZE = 0x10000,
    CONTROL_SIZE = 0x4000,
    TARGET_SIZE = 0x00C00000,
};

#define USED(name) __typeof__(pfnc_##name) pfnc_##name;
#include "nvn_used.h"
#undef USED

#define CHECK(condition) ((condition) ? (void)0 : nn_diag_AbortImpl(#condition, __func__, __FILE__, __LINE__))

__attribute__((visibility("default"))) void nninitStartup(void);
__attribute__((visibility("default"))) void nnMain(void);

static uintptr_t heap_next, heap_end;

static struct {
    NVNdevice device;
    NVNqueue queue;
    NVNwindow window;
    NVNmemoryPool targets, command_pool;
    NVNtexture textures[WINDOW_TEXTURES];
    NVNcommandBuffer commands;
    NVNsync free;
    void* control;
} gpu;

static void* allocate(size_t size)
{
    void* memory = (void*)heap_next;
    heap_next += (size + PAGE - 1) & ~(size_t)(PAGE - 1);
    CHECK(heap_next <= heap_end);
    return memory;
}

void nninitStartup(void)
{
    CHECK(nn_os_SetMemoryHeapSize(HEAP_SIZE) == 0);
    CHECK(nn_os_AllocateMemoryBlock(&heap_next, HEAP_SIZE) == 0);
    heap_end = heap_next + HEAP_SIZE;
}

static void load_procs(const NVNdevice* device)
{
    typedef PFNNVNGENERICFUNCPTRPROC (*get_proc)(const NVNdevice* device, const char* name);
    const get_proc get = (get_proc)nvnBootstrapLoader("nvnDeviceGetProcAddress");
    CHECK(get != NULL);
#define USED(name) \
    pfnc_##name = (__typeof__(pfnc_##name))get(device, #name); \
    CHECK(pfnc_##name != NULL);
#include "nvn_used.h"
#undef USED
}

static void make_pool(NVNmemoryPool* pool, size_t size, int flags)
{
    NVNmemoryPoolBuilder builder;
    nvnMemoryPoolBuilderSetDevice(&builder, &gpu.device);
    nvnMemoryPoolBuilderSetDefaults(&builder);
    nvnMemoryPoolBuilderSetStorage(&builder, allocate(size), size);
    nvnMemoryPoolBuilderSetFlags(&builder, flags);
    CHECK(nvnMemoryPoolInitialize(pool, &builder));
}

static void make_device_and_queue(void)
{
    NVNdeviceBuilder device;
    NVNqueueBuilder queue;
    load_procs(NULL);
    nvnDeviceBuilderSetDefaults(&device);
    nvnDeviceBuilderSetFlags(&device, 0);
    CHECK(nvnDeviceInitialize(&gpu.device, &device));
    load_procs(&gpu.device);
    nvnQueueBuilderSetDevice(&queue, &gpu.device);
    nvnQueueBuilderSetDefaults(&queue);
    const size_t size = nvnQueueBuilderGetQueueMemorySize(&queue);
    nvnQueueBuilderSetQueueMemory(&queue, allocate(size), size);
    CHECK(nvnQueueInitialize(&gpu.queue, &queue));
}

static void make_window(void* native)
{
    NVNwindowBuilder builder;
    NVNtexture* pointers[WINDOW_TEXTURES];
    size_t offset = 0;
    for (int i = 0; i < WINDOW_TEXTURES; i++) {
        NVNtextureBuilder texture;
        nvnTextureBuilderSetDevice(&texture, &gpu.device);
        nvnTextureBuilderSetDefaults(&texture);
        nvnTextureBuilderSetTarget(&texture, NVN_TEXTURE_TARGET_2D);
        nvnTextureBuilderSetFlags(&texture, NVN_TEXTURE_FLAGS_DISPLAY | NVN_TEXTURE_FLAGS_COMPRESSIBLE);
        nvnTextureBuilderSetFormat(&texture, NVN_FORMAT_RGBA8);
        nvnTextureBuilderSetSize2D(&texture, WIDTH, HEIGHT);
        const size_t alignment = nvnTextureBuilderGetStorageAlignment(&texture);
        offset = (offset + alignment - 1) / alignment * alignment;
        nvnTextureBuilderSetStorage(&texture, &gpu.targets, (ptrdiff_t)offset);
        offset += nvnTextureBuilderGetStorageSize(&texture);
        CHECK(nvnTextureInitialize(&gpu.textures[i], &texture));
        pointers[i] = &gpu.textures[i];
    }
    nvnWindowBuilderSetDevice(&builder, &gpu.device);
    nvnWindowBuilderSetDefaults(&builder);
    nvnWindowBuilderSetNativeWindow(&builder, native);
    nvnWindowBuilderSetTextures(&builder, WINDOW_TEXTURES, pointers);
    CHECK(nvnWindowInitialize(&gpu.window, &builder));
}

static void start(void)
{
    nn_vi_Display* display = NULL;
    nn_vi_Layer* layer = NULL;
    void* native = NULL;
    nn_oe_Initialize();
    nn_vi_Initialize();
    CHECK(nn_vi_OpenDefaultDisplay(&display) == 0);
    CHECK(nn_vi_CreateLayer(&layer, display) == 0);
    CHECK(nn_vi_GetNativeWindow(&native, layer) == 0);
    make_device_and_queue();
    make_pool(&gpu.targets, TARGET_SIZE,
        NVN_MEMORY_POOL_FLAGS_CPU_NO_ACCESS | NVN_MEMORY_POOL_FLAGS_GPU_CACHED | NVN_MEMORY_POOL_FLAGS_COMPRESSIBLE);
    make_pool(&gpu.command_pool, COMMAND_SIZE,
        NVN_MEMORY_POOL_FLAGS_CPU_UNCACHED | NVN_MEMORY_POOL_FLAGS_GPU_UNCACHED);
    make_window(native);
    gpu.control = allocate(CONTROL_SIZE);
    CHECK(nvnSyncInitialize(&gpu.free, &gpu.device));
    CHECK(nvnCommandBufferInitialize(&gpu.commands, &gpu.device));
}

static void clear(int x, int y, int width, int height, int red, int green, int blue)
{
    const float color[4] = { (float)red / 255.0f, (float)green / 255.0f, (float)blue / 255.0f, 1.0f };
    nvnCommandBufferSetScissor(&gpu.commands, x, y, width, height);
    nvnCommandBufferClearColor(&gpu.commands, 0, color, NVN_CLEAR_COLOR_MASK_RGBA);
}

static void draw(int frame)
{
    int index = 0;
    CHECK(nvnWindowAcquireTexture(&gpu.window, &gpu.free, &index) == NVN_WINDOW_ACQUIRE_TEXTURE_RESULT_SUCCESS);
    CHECK(nvnSyncWait(&gpu.free, UINT64_MAX) <= NVN_SYNC_WAIT_RESULT_CONDITION_SATISFIED);
    const NVNtexture* target = &gpu.textures[index];
    const int step = frame % 64 * 4;
    nvnCommandBufferAddCommandMemory(&gpu.commands, &gpu.command_pool, 0, COMMAND_SIZE);
    nvnCommandBufferAddControlMemory(&gpu.commands, gpu.control, CONTROL_SIZE);
    nvnCommandBufferBeginRecording(&gpu.commands);
    nvnCommandBufferSetRenderTargets(&gpu.commands, 1, &target, NULL, NULL, NULL);
    nvnCommandBufferSetViewport(&gpu.commands, 0, 0, WIDTH, HEIGHT);
    clear(0, 0, WIDTH, HEIGHT, step, 64, 128);
    clear(0, 0, SQUARE, SQUARE, 255, 255 - step, 0);
    const NVNcommandHandle handle = nvnCommandBufferEndRecording(&gpu.commands);
    nvnQueueSubmitCommands(&gpu.queue, 1, &handle);
    nvnQueuePresentTexture(&gpu.queue, &gpu.window, index);
    nvnQueueFinish(&gpu.queue);
}

static void end(void)
{
    nvnCommandBufferFinalize(&gpu.commands);
    nvnSyncFinalize(&gpu.free);
    nvnWindowFinalize(&gpu.window);
    for (int i = 0; i < WINDOW_TEXTURES; i++) {
        nvnTextureFinalize(&gpu.textures[i]);
    }
    nvnMemoryPoolFinalize(&gpu.targets);
    nvnMemoryPoolFinalize(&gpu.command_pool);
    nvnQueueFinalize(&gpu.queue);
    nvnDeviceFinalize(&gpu.device);
}

static bool asked_to_end(void)
{
    uint32_t message = 0;
    bool exit = false;
    while (nn_oe_TryPopNotificationMessage(&message)) {
        exit = exit || message == NN_OE_MESSAGE_EXIT_REQUEST;
    }
    return exit;
}

void nnMain(void)
{
    start();
    for (int frame = 0; !asked_to_end(); frame++) {
        draw(frame);
    }
    end();
}
