/* Device, pools, textures, samplers, programs, syncs: the part of NVN that is not recorded. */
#include "nvn_host.h"

#include <stdlib.h>
#include <string.h>

enum {
    PAGE = 0x1000,
    ALIGNMENT_BLOCK_LINEAR = 512,
};

host_pool host_pools[MAX_POOLS];
host_texture host_textures[MAX_TEXTURES];

/* Objects hold a kind and an index into the host's tables. */
typedef struct tag {
    uint32_t kind;
    uint32_t index;
} tag;

enum {
    KIND_DEVICE = 0x564E4401,
    KIND_QUEUE,
    KIND_POOL,
    KIND_TEXTURE,
    KIND_SAMPLER,
    KIND_PROGRAM,
    KIND_SYNC,
    KIND_WINDOW,
    KIND_BUFFER,
    KIND_TEXTURE_POOL,
    KIND_SAMPLER_POOL,
};

static void set_tag(void* object, uint32_t kind, uint32_t index)
{
    const tag value = { kind, index };
    memcpy(object, &value, sizeof(value));
}

static uint32_t tag_of(const void* object, uint32_t kind, const char* call)
{
    tag value = { 0, 0 };
    if (object != NULL) {
        memcpy(&value, object, sizeof(value));
    }
    if (value.kind != kind) {
        refuse("%s: the object is not initialised", call);
    }
    return value.index;
}

bool host_fault(const char* name)
{
    return harness.fault != NULL && strcmp(harness.fault, name) == 0;
}

/* ---- device ---- */

static void DeviceBuilderSetDefaults(NVNdeviceBuilder* builder)
{
    memset(builder, 0, sizeof(*builder));
}

static void DeviceBuilderSetFlags(NVNdeviceBuilder* builder, int flags)
{
    (void)builder;
    (void)flags;
}

static NVNboolean DeviceInitialize(NVNdevice* device, const NVNdeviceBuilder* builder)
{
    (void)builder;
    set_tag(device, KIND_DEVICE, 0);
    return 1;
}

static void DeviceFinalize(NVNdevice* device)
{
    tag_of(device, KIND_DEVICE, "DeviceFinalize");
    for (int i = 0; i < MAX_POOLS; i++) {
        if (host_pools[i].alive) {
            refuse("DeviceFinalize: pool %s is still alive", host_pools[i].label);
        }
    }
}

static void DeviceGetInteger(const NVNdevice* device, NVNdeviceInfo name, int* value)
{
    (void)device;
    switch (name) {
    case NVN_DEVICE_INFO_API_MAJOR_VERSION: *value = 53; break;
    case NVN_DEVICE_INFO_API_MINOR_VERSION: *value = 313; break;
    case NVN_DEVICE_INFO_UNIFORM_BUFFER_ALIGNMENT: *value = 256; break;
    case NVN_DEVICE_INFO_RESERVED_TEXTURE_DESCRIPTORS:
    case NVN_DEVICE_INFO_RESERVED_SAMPLER_DESCRIPTORS: *value = 256; break;
    case NVN_DEVICE_INFO_QUEUE_COMPUTE_MEMORY_DEFAULT_SIZE: *value = 0x40000; break;
    case NVN_DEVICE_INFO_SHADER_CODE_MEMORY_POOL_PADDING_SIZE: *value = 0x400; break;
    case NVN_DEVICE_INFO_SHADER_SCRATCH_MEMORY_GRANULARITY: *value = 0x20000; break;
    case NVN_DEVICE_INFO_SHADER_SCRATCH_MEMORY_SCALE_FACTOR_RECOMMENDED: *value = 0x100; break;
    default: refuse("DeviceGetInteger: 0x%x is not in the host's table", (unsigned)name);
    }
}

static void DeviceSetDepthMode(NVNdevice* device, NVNdepthMode mode)
{
    tag_of(device, KIND_DEVICE, "DeviceSetDepthMode");
    if (mode != NVN_DEPTH_MODE_NEAR_IS_ZERO) {
        refuse("DeviceSetDepthMode: %d", mode);
    }
}

static NVNtextureHandle DeviceGetTextureHandle(const NVNdevice* device, int texture, int sampler)
{
    tag_of(device, KIND_DEVICE, "DeviceGetTextureHandle");
    return (uint64_t)(texture & 0xFFFFF) | (uint64_t)sampler << 20;
}

static NVNdebugDomainId DeviceGenerateDebugDomainId(const NVNdevice* device, const char* name)
{
    (void)device;
    return name != NULL ? 1 : 0;
}

/* ---- queue, window, syncs ---- */

static int last_acquired = -1, next_window;

static void QueueBuilderSetDevice(NVNqueueBuilder* builder, NVNdevice* device)
{
    (void)builder;
    tag_of(device, KIND_DEVICE, "QueueBuilderSetDevice");
}

static void QueueBuilderSetDefaults(NVNqueueBuilder* builder)
{
    (void)builder;
}

static void QueueBuilderSetFlags(NVNqueueBuilder* builder, int flags)
{
    (void)builder;
    (void)flags;
}

static void QueueBuilderSetComputeMemorySize(NVNqueueBuilder* builder, size_t size)
{
    (void)builder;
    if (size % 256 != 0 || size < 0x4000) {
        refuse("QueueBuilderSetComputeMemorySize: %zu", size);
    }
}

static size_t QueueBuilderGetQueueMemorySize(const NVNqueueBuilder* builder)
{
    (void)builder;
    return 0x60000;
}

static void QueueBuilderSetQueueMemory(NVNqueueBuilder* builder, void* memory, size_t size)
{
    (void)builder;
    if ((uintptr_t)memory % PAGE != 0 || size < 0x60000) {
        refuse("QueueBuilderSetQueueMemory: %p, %zu bytes", memory, size);
    }
}

static NVNboolean QueueInitialize(NVNqueue* queue, const NVNqueueBuilder* builder)
{
    (void)builder;
    set_tag(queue, KIND_QUEUE, 0);
    return 1;
}

static void QueueFinalize(NVNqueue* queue)
{
    tag_of(queue, KIND_QUEUE, "QueueFinalize");
}

static void QueueSetDebugLabel(NVNqueue* queue, const char* label)
{
    tag_of(queue, KIND_QUEUE, "QueueSetDebugLabel");
    (void)label;
}

static void QueueFlush(NVNqueue* queue)
{
    tag_of(queue, KIND_QUEUE, "QueueFlush");
    list("queue: flush");
}

static void QueueFinish(NVNqueue* queue)
{
    tag_of(queue, KIND_QUEUE, "QueueFinish");
    list("queue: finish");
}

static void QueueFenceSync(NVNqueue* queue, NVNsync* sync, NVNsyncCondition condition, int flags)
{
    tag_of(queue, KIND_QUEUE, "QueueFenceSync");
    tag_of(sync, KIND_SYNC, "QueueFenceSync");
    list("queue: fence, condition %d, flags %d", condition, flags);
}

static NVNboolean QueueWaitSync(NVNqueue* queue, const NVNsync* sync)
{
    tag_of(queue, KIND_QUEUE, "QueueWaitSync");
    tag_of(sync, KIND_SYNC, "QueueWaitSync");
    list("queue: wait for the window");
    return 1;
}

static void QueuePresentTexture(NVNqueue* queue, NVNwindow* window, int index)
{
    tag_of(queue, KIND_QUEUE, "QueuePresentTexture");
    tag_of(window, KIND_WINDOW, "QueuePresentTexture");
    if (index != last_acquired) {
        refuse("QueuePresentTexture: %d, but %d was acquired", index, last_acquired);
    }
    last_acquired = -1;
    list("queue: present %d", index);
    harness_presented++;
}

static NVNqueueGetErrorResult QueueGetError(NVNqueue* queue, NVNqueueErrorInfo* info)
{
    tag_of(queue, KIND_QUEUE, "QueueGetError");
    (void)info;
    return NVN_QUEUE_GET_ERROR_RESULT_GPU_NO_ERROR;
}

static void WindowBuilderSetDevice(NVNwindowBuilder* builder, NVNdevice* device)
{
    (void)builder;
    tag_of(device, KIND_DEVICE, "WindowBuilderSetDevice");
}

static void WindowBuilderSetDefaults(NVNwindowBuilder* builder)
{
    (void)builder;
}

static void WindowBuilderSetNativeWindow(NVNwindowBuilder* builder, NVNnativeWindow window)
{
    (void)builder;
    if (window == NULL) {
        refuse("WindowBuilderSetNativeWindow: no window");
    }
}

static void WindowBuilderSetTextures(NVNwindowBuilder* builder, int count, NVNtexture* const* window_textures)
{
    (void)builder;
    if (count < 2 || count > 4) {
        refuse("WindowBuilderSetTextures: %d textures", count);
    }
    for (int i = 0; i < count; i++) {
        if ((host_texture_of(window_textures[i], "WindowBuilderSetTextures")->flags & NVN_TEXTURE_FLAGS_DISPLAY) == 0) {
            refuse("WindowBuilderSetTextures: texture %d has no DISPLAY flag", i);
        }
    }
}

static void WindowBuilderSetPresentInterval(NVNwindowBuilder* builder, int interval)
{
    (void)builder;
    if (interval < 0 || interval > 5) {
        refuse("WindowBuilderSetPresentInterval: %d", interval);
    }
}

static NVNboolean WindowInitialize(NVNwindow* window, const NVNwindowBuilder* builder)
{
    (void)builder;
    set_tag(window, KIND_WINDOW, 0);
    return 1;
}

static void WindowFinalize(NVNwindow* window)
{
    tag_of(window, KIND_WINDOW, "WindowFinalize");
}

static NVNwindowAcquireTextureResult WindowAcquireTexture(NVNwindow* window, NVNsync* sync, int* index)
{
    tag_of(window, KIND_WINDOW, "WindowAcquireTexture");
    tag_of(sync, KIND_SYNC, "WindowAcquireTexture");
    if (last_acquired >= 0) {
        refuse("WindowAcquireTexture: %d was acquired and not presented", last_acquired);
    }
    last_acquired = next_window;
    next_window = (next_window + 1) % 2;
    *index = last_acquired;
    list("== frame %d", harness_presented);
    list("window: acquire %d", last_acquired);
    return NVN_WINDOW_ACQUIRE_TEXTURE_RESULT_SUCCESS;
}

static NVNboolean SyncInitialize(NVNsync* sync, NVNdevice* device)
{
    tag_of(device, KIND_DEVICE, "SyncInitialize");
    set_tag(sync, KIND_SYNC, 0);
    return 1;
}

static void SyncFinalize(NVNsync* sync)
{
    tag_of(sync, KIND_SYNC, "SyncFinalize");
}

static NVNsyncWaitResult SyncWait(const NVNsync* sync, uint64_t timeout)
{
    tag_of(sync, KIND_SYNC, "SyncWait");
    if (timeout != UINT64_MAX) {
        refuse("SyncWait: timeout %llu", (unsigned long long)timeout);
    }
    return NVN_SYNC_WAIT_RESULT_ALREADY_SIGNALED;
}

/* ---- memory pools and buffers ---- */

typedef struct pool_builder {
    void* memory;
    size_t size;
    int flags;
} pool_builder;

static void MemoryPoolBuilderSetDevice(NVNmemoryPoolBuilder* builder, NVNdevice* device)
{
    (void)builder;
    tag_of(device, KIND_DEVICE, "MemoryPoolBuilderSetDevice");
}

static void MemoryPoolBuilderSetDefaults(NVNmemoryPoolBuilder* builder)
{
    memset(builder, 0, sizeof(*builder));
}

static void MemoryPoolBuilderSetStorage(NVNmemoryPoolBuilder* builder, void* memory, size_t size)
{
    if ((uintptr_t)memory % PAGE != 0 || size % PAGE != 0 || size == 0) {
        refuse("MemoryPoolBuilderSetStorage: %p, %zu bytes are not whole pages", memory, size);
    }
    pool_builder* b = (pool_builder*)(void*)builder;
    b->memory = memory;
    b->size = size;
}

static void MemoryPoolBuilderSetFlags(NVNmemoryPoolBuilder* builder, int flags)
{
    const int cpu = flags & 7, device = flags & 0x38;
    if (__builtin_popcount((unsigned)cpu) != 1 || __builtin_popcount((unsigned)device) != 1) {
        refuse("MemoryPoolBuilderSetFlags: 0x%x needs one CPU and one GPU bit", flags);
    }
    ((pool_builder*)(void*)builder)->flags = flags;
}

static NVNboolean MemoryPoolInitialize(NVNmemoryPool* pool, const NVNmemoryPoolBuilder* builder)
{
    static uint64_t next_address = 0x500000000;
    static uint32_t next;
    const pool_builder* b = (const pool_builder*)(const void*)builder;
    if (next >= MAX_POOLS) {
        refuse("MemoryPoolInitialize: more than %d pools", MAX_POOLS);
    }
    host_pools[next] = (host_pool){ b->memory, b->size, b->flags, next_address, "pool", true };
    next_address += (b->size + 0x1FFFF) & ~(uint64_t)0xFFFF;
    set_tag(pool, KIND_POOL, next++);
    return 1;
}

host_pool* host_pool_of_object(const NVNmemoryPool* pool, const char* call)
{
    return &host_pools[tag_of(pool, KIND_POOL, call)];
}

host_pool* host_pool_of(uint64_t address, size_t size, const char* call)
{
    for (int i = 0; i < MAX_POOLS; i++) {
        host_pool* pool = &host_pools[i];
        if (pool->alive && address >= pool->address && address - pool->address < pool->size) {
            if (size > pool->size - (address - pool->address)) {
                refuse("%s: %zu bytes at %s leave the pool", call, size, host_place(address));
            }
            return pool;
        }
    }
    refuse("%s: address 0x%llx lies in no pool", call, (unsigned long long)address);
}

const char* host_place(uint64_t address)
{
    static char texts[8][64];
    static int next;
    char* text = texts[next++ % 8];
    for (int i = 0; i < MAX_POOLS; i++) {
        const host_pool* pool = &host_pools[i];
        if (address >= pool->address && address - pool->address < pool->size) {
            snprintf(text, sizeof(texts[0]), "%s+0x%llx", pool->label, (unsigned long long)(address - pool->address));
            return text;
        }
    }
    snprintf(text, sizeof(texts[0]), "0x%llx", (unsigned long long)address);
    return text;
}

static void MemoryPoolSetDebugLabel(NVNmemoryPool* pool, const char* label)
{
    host_pool_of_object(pool, "MemoryPoolSetDebugLabel")->label = label;
}

static void MemoryPoolFinalize(NVNmemoryPool* pool)
{
    host_pool_of_object(pool, "MemoryPoolFinalize")->alive = false;
}

static void* MemoryPoolMap(const NVNmemoryPool* pool)
{
    host_pool* p = host_pool_of_object(pool, "MemoryPoolMap");
    return (p->flags & NVN_MEMORY_POOL_FLAGS_CPU_NO_ACCESS) != 0 ? NULL : p->memory;
}

static void MemoryPoolFlushMappedRange(const NVNmemoryPool* pool, ptrdiff_t offset, size_t size)
{
    host_pool* p = host_pool_of_object(pool, "MemoryPoolFlushMappedRange");
    if (offset < 0 || (size_t)offset > p->size || size > p->size - (size_t)offset) {
        refuse("MemoryPoolFlushMappedRange: outside %s", p->label);
    }
}

static NVNbufferAddress MemoryPoolGetBufferAddress(const NVNmemoryPool* pool)
{
    return host_pool_of_object(pool, "MemoryPoolGetBufferAddress")->address;
}

typedef struct buffer_builder {
    const NVNmemoryPool* pool;
    ptrdiff_t offset;
    size_t size;
} buffer_builder;

typedef struct buffer_object {
    tag tag;
    uint64_t address;
    uint8_t* memory;
} buffer_object;

static void BufferBuilderSetDevice(NVNbufferBuilder* builder, NVNdevice* device)
{
    (void)builder;
    tag_of(device, KIND_DEVICE, "BufferBuilderSetDevice");
}

static void BufferBuilderSetDefaults(NVNbufferBuilder* builder)
{
    memset(builder, 0, sizeof(*builder));
}

static void BufferBuilderSetStorage(NVNbufferBuilder* builder, NVNmemoryPool* pool, ptrdiff_t offset, size_t size)
{
    *(buffer_builder*)(void*)builder = (buffer_builder){ pool, offset, size };
}

static NVNboolean BufferInitialize(NVNbuffer* buffer, const NVNbufferBuilder* builder)
{
    const buffer_builder* b = (const buffer_builder*)(const void*)builder;
    host_pool* pool = host_pool_of_object(b->pool, "BufferInitialize");
    if (b->offset < 0 || (size_t)b->offset > pool->size || b->size > pool->size - (size_t)b->offset) {
        refuse("BufferInitialize: outside %s", pool->label);
    }
    const bool mapped = (pool->flags & NVN_MEMORY_POOL_FLAGS_CPU_NO_ACCESS) == 0;
    *(buffer_object*)(void*)buffer = (buffer_object){ { KIND_BUFFER, 0 }, pool->address + (uint64_t)b->offset,
        mapped ? pool->memory + b->offset : NULL };
    return 1;
}

static void BufferFinalize(NVNbuffer* buffer)
{
    tag_of(buffer, KIND_BUFFER, "BufferFinalize");
}

static void* BufferMap(const NVNbuffer* buffer)
{
    tag_of(buffer, KIND_BUFFER, "BufferMap");
    return ((const buffer_object*)(const void*)buffer)->memory;
}

static NVNbufferAddress BufferGetAddress(const NVNbuffer* buffer)
{
    tag_of(buffer, KIND_BUFFER, "BufferGetAddress");
    return ((const buffer_object*)(const void*)buffer)->address;
}

/* ---- textures, views, samplers and their pools ---- */

typedef struct texture_builder {
    host_texture texture;
    bool has_device;
    const NVNmemoryPool* pool;
    ptrdiff_t offset;
} texture_builder;
_Static_assert(sizeof(texture_builder) <= sizeof(NVNtextureBuilder), "room in the builder");

typedef struct texture_view {
    int level, levels, layer, layers, format;
} texture_view;
_Static_assert(sizeof(texture_view) <= sizeof(NVNtextureView), "room in the view");

static texture_builder* builder_of(NVNtextureBuilder* builder)
{
    return (texture_builder*)(void*)builder;
}

static void TextureBuilderSetDevice(NVNtextureBuilder* builder, NVNdevice* device)
{
    tag_of(device, KIND_DEVICE, "TextureBuilderSetDevice");
    builder_of(builder)->has_device = true;
}

static void TextureBuilderSetDefaults(NVNtextureBuilder* builder)
{
    memset(builder, 0, sizeof(*builder));
    builder_of(builder)->texture =
        (host_texture){ .target = NVN_TEXTURE_TARGET_2D, .levels = 1, .height = 1, .depth = 1, .label = "texture" };
}

static void TextureBuilderSetFlags(NVNtextureBuilder* builder, int flags)
{
    builder_of(builder)->texture.flags = flags;
}

static void TextureBuilderSetTarget(NVNtextureBuilder* builder, NVNtextureTarget target)
{
    builder_of(builder)->texture.target = target;
}

static void TextureBuilderSetSize3D(NVNtextureBuilder* builder, int width, int height, int depth)
{
    host_texture* t = &builder_of(builder)->texture;
    t->width = width;
    t->height = height;
    t->depth = depth;
}

static void TextureBuilderSetSize2D(NVNtextureBuilder* builder, int width, int height)
{
    TextureBuilderSetSize3D(builder, width, height, 1);
}

static void TextureBuilderSetLevels(NVNtextureBuilder* builder, int levels)
{
    builder_of(builder)->texture.levels = levels;
}

static void TextureBuilderSetFormat(NVNtextureBuilder* builder, NVNformat format)
{
    builder_of(builder)->texture.format = format;
}

static void TextureBuilderSetSwizzle(
    NVNtextureBuilder* builder, NVNtextureSwizzle r, NVNtextureSwizzle g, NVNtextureSwizzle b, NVNtextureSwizzle a)
{
    (void)builder;
    if (r > NVN_TEXTURE_SWIZZLE_A || g > NVN_TEXTURE_SWIZZLE_A || b > NVN_TEXTURE_SWIZZLE_A
        || a > NVN_TEXTURE_SWIZZLE_A) {
        refuse("TextureBuilderSetSwizzle: %d %d %d %d", r, g, b, a);
    }
}

int host_texel_size(int format)
{
    switch (format) {
    case NVN_FORMAT_R8: return 1;
    case NVN_FORMAT_RG8: return 2;
    case NVN_FORMAT_RG16F:
    case NVN_FORMAT_RGBA8:
    case NVN_FORMAT_RGBA8_SRGB:
    case NVN_FORMAT_RGB10A2:
    case NVN_FORMAT_R11G11B10F:
    case NVN_FORMAT_DEPTH24_STENCIL8:
    case NVN_FORMAT_DEPTH32F: return 4;
    default: refuse("texture format 0x%x is not in the host's table", format);
    }
}

size_t host_texture_size(const host_texture* texture)
{
    size_t total = 0;
    for (int level = 0; level < texture->levels; level++) {
        const size_t width = (size_t)(texture->width >> level > 0 ? texture->width >> level : 1);
        const size_t height = (size_t)(texture->height >> level > 0 ? texture->height >> level : 1);
        size_t rows = 8;
        while (rows < 128 && rows < height) {
            rows *= 2;
        }
        const size_t pitch = (width * (size_t)host_texel_size(texture->format) + 63) / 64 * 64;
        total += pitch * ((height + rows - 1) / rows * rows);
    }
    return total * (size_t)texture->depth;
}

static size_t TextureBuilderGetStorageSize(const NVNtextureBuilder* builder)
{
    return host_texture_size(&((const texture_builder*)(const void*)builder)->texture);
}

static size_t TextureBuilderGetStorageAlignment(const NVNtextureBuilder* builder)
{
    (void)builder;
    return ALIGNMENT_BLOCK_LINEAR;
}

static void TextureBuilderSetStorage(NVNtextureBuilder* builder, NVNmemoryPool* pool, ptrdiff_t offset)
{
    if (offset % ALIGNMENT_BLOCK_LINEAR != 0 && !host_fault("alignment")) {
        refuse("TextureBuilderSetStorage: offset 0x%tx", offset);
    }
    builder_of(builder)->pool = pool;
    builder_of(builder)->offset = offset;
}

static NVNboolean TextureInitialize(NVNtexture* texture, const NVNtextureBuilder* builder)
{
    static uint32_t next;
    const texture_builder* b = (const texture_builder*)(const void*)builder;
    const host_texture* t = &b->texture;
    host_pool* pool = host_pool_of_object(b->pool, "TextureInitialize");
    const size_t size = host_texture_size(t);
    if (t->width < 1 || t->height < 1 || t->depth < 1 || t->levels < 1 || t->width > 16384 || t->height > 16384) {
        refuse("TextureInitialize: %d x %d x %d, %d levels", t->width, t->height, t->depth, t->levels);
    }
    if (t->depth > 1 && t->target != NVN_TEXTURE_TARGET_3D && t->target != NVN_TEXTURE_TARGET_2D_ARRAY) {
        refuse("TextureInitialize: %d layers on target %d", t->depth, t->target);
    }
    if ((t->width >> (t->levels - 1)) == 0 && (t->height >> (t->levels - 1)) == 0) {
        refuse("TextureInitialize: %d levels of %d x %d", t->levels, t->width, t->height);
    }
    if (b->offset < 0 || (size_t)b->offset > pool->size || size > pool->size - (size_t)b->offset) {
        refuse("TextureInitialize: %zu bytes at 0x%tx leave pool %s", size, b->offset, pool->label);
    }
    host_textures[next] = *t;
    host_textures[next].size = size;
    host_textures[next].alive = true;
    set_tag(texture, KIND_TEXTURE, next++);
    return 1;
}

host_texture* host_texture_of(const NVNtexture* texture, const char* call)
{
    host_texture* t = &host_textures[tag_of(texture, KIND_TEXTURE, call)];
    if (!t->alive) {
        refuse("%s: texture %s was finalised", call, t->label);
    }
    return t;
}

static void TextureFinalize(NVNtexture* texture)
{
    host_texture_of(texture, "TextureFinalize")->alive = false;
}

static void TextureSetDebugLabel(NVNtexture* texture, const char* label)
{
    host_texture_of(texture, "TextureSetDebugLabel")->label = label;
}

static void TextureWriteTexels(
    const NVNtexture* texture, const NVNtextureView* view, const NVNcopyRegion* region, const void* data)
{
    const host_texture* t = host_texture_of(texture, "TextureWriteTexels");
    if (view != NULL || data == NULL || region->width != t->width || region->height != t->height) {
        refuse("TextureWriteTexels: region of %s", t->label);
    }
}

static void TextureFlushTexels(const NVNtexture* texture, const NVNtextureView* view, const NVNcopyRegion* region)
{
    (void)view;
    (void)region;
    host_texture_of(texture, "TextureFlushTexels");
}

static void TextureViewSetDefaults(NVNtextureView* view)
{
    memset(view, 0, sizeof(*view));
}

static void TextureViewSetLevels(NVNtextureView* view, int level, int levels)
{
    ((texture_view*)(void*)view)->level = level;
    ((texture_view*)(void*)view)->levels = levels;
}

static void TextureViewSetLayers(NVNtextureView* view, int layer, int layers)
{
    ((texture_view*)(void*)view)->layer = layer;
    ((texture_view*)(void*)view)->layers = layers;
}

static void TextureViewSetFormat(NVNtextureView* view, NVNformat format)
{
    ((texture_view*)(void*)view)->format = format;
}

static bool texture_ids[MAX_DESCRIPTORS], sampler_ids[MAX_DESCRIPTORS];
static host_texture* registered[MAX_DESCRIPTORS];

static void check_descriptors(const NVNmemoryPool* memory, ptrdiff_t offset, int count, const char* call)
{
    host_pool* pool = host_pool_of_object(memory, call);
    if (offset % 32 != 0 || offset < 0 || (size_t)offset + (size_t)count * 32 > pool->size || count > MAX_DESCRIPTORS) {
        refuse("%s: %d descriptors at 0x%tx of %s", call, count, offset, pool->label);
    }
}

static NVNboolean TexturePoolInitialize(NVNtexturePool* pool, const NVNmemoryPool* memory, ptrdiff_t offset, int count)
{
    check_descriptors(memory, offset, count, "TexturePoolInitialize");
    set_tag(pool, KIND_TEXTURE_POOL, (uint32_t)count);
    return 1;
}

static void TexturePoolFinalize(NVNtexturePool* pool)
{
    tag_of(pool, KIND_TEXTURE_POOL, "TexturePoolFinalize");
}

static void TexturePoolRegisterTexture(
    const NVNtexturePool* pool, int id, const NVNtexture* texture, const NVNtextureView* view)
{
    (void)view;
    if (id < 256 || id >= (int)tag_of(pool, KIND_TEXTURE_POOL, "TexturePoolRegisterTexture")) {
        refuse("TexturePoolRegisterTexture: id %d", id);
    }
    registered[id] = host_texture_of(texture, "TexturePoolRegisterTexture");
    texture_ids[id] = true;
}

static NVNboolean SamplerPoolInitialize(NVNsamplerPool* pool, const NVNmemoryPool* memory, ptrdiff_t offset, int count)
{
    check_descriptors(memory, offset, count, "SamplerPoolInitialize");
    set_tag(pool, KIND_SAMPLER_POOL, (uint32_t)count);
    return 1;
}

static void SamplerPoolFinalize(NVNsamplerPool* pool)
{
    tag_of(pool, KIND_SAMPLER_POOL, "SamplerPoolFinalize");
}

static void SamplerPoolRegisterSampler(const NVNsamplerPool* pool, int id, const NVNsampler* sampler)
{
    tag_of(sampler, KIND_SAMPLER, "SamplerPoolRegisterSampler");
    if (id < 256 || id >= (int)tag_of(pool, KIND_SAMPLER_POOL, "SamplerPoolRegisterSampler")) {
        refuse("SamplerPoolRegisterSampler: id %d", id);
    }
    sampler_ids[id] = true;
}

host_texture* host_texture_of_handle(uint64_t handle, const char* call)
{
    const size_t texture = handle & 0xFFFFF, sampler = handle >> 20;
    if (texture >= MAX_DESCRIPTORS || sampler >= MAX_DESCRIPTORS || !texture_ids[texture] || !sampler_ids[sampler]) {
        refuse("%s: handle 0x%llx names no registered descriptor", call, (unsigned long long)handle);
    }
    return registered[texture];
}

static void SamplerBuilderSetDevice(NVNsamplerBuilder* builder, NVNdevice* device)
{
    (void)builder;
    tag_of(device, KIND_DEVICE, "SamplerBuilderSetDevice");
}

static void SamplerBuilderSetDefaults(NVNsamplerBuilder* builder)
{
    memset(builder, 0, sizeof(*builder));
}

static void SamplerBuilderSetMinMagFilter(NVNsamplerBuilder* builder, NVNminFilter min, NVNmagFilter mag)
{
    (void)builder;
    if (min > NVN_MIN_FILTER_LINEAR_MIPMAP_LINEAR || mag > NVN_MAG_FILTER_LINEAR) {
        refuse("SamplerBuilderSetMinMagFilter: %d, %d", min, mag);
    }
}

static void SamplerBuilderSetWrapMode(NVNsamplerBuilder* builder, NVNwrapMode s, NVNwrapMode t, NVNwrapMode r)
{
    (void)builder;
    if (s > NVN_WRAP_MODE_CLAMP_TO_EDGE || t > NVN_WRAP_MODE_CLAMP_TO_EDGE || r > NVN_WRAP_MODE_CLAMP_TO_EDGE) {
        refuse("SamplerBuilderSetWrapMode: %d %d %d", s, t, r);
    }
}

static void SamplerBuilderSetCompare(NVNsamplerBuilder* builder, NVNcompareMode mode, NVNcompareFunc func)
{
    (void)builder;
    if (mode > NVN_COMPARE_MODE_COMPARE_R_TO_TEXTURE || func < NVN_COMPARE_FUNC_NEVER || func > NVN_COMPARE_FUNC_ALWAYS) {
        refuse("SamplerBuilderSetCompare: %d, %d", mode, func);
    }
}

static NVNboolean SamplerInitialize(NVNsampler* sampler, const NVNsamplerBuilder* builder)
{
    (void)builder;
    set_tag(sampler, KIND_SAMPLER, 0);
    return 1;
}

static void SamplerFinalize(NVNsampler* sampler)
{
    tag_of(sampler, KIND_SAMPLER, "SamplerFinalize");
}

/* ---- programs: a shader is known by its code ---- */

static host_shader shaders[] = {
#define SHADER(name, stage, uniforms, textures, storages) { #name, stage, uniforms, textures, storages, NULL, 0 },
#include "shader_slots.h"
#undef SHADER
};

typedef struct host_program {
    const host_shader* stages[STAGES];
    const char* label;
} host_program;

static host_program programs[64];

static uint32_t word_at(const uint8_t* bytes)
{
    uint32_t word;
    memcpy(&word, bytes, sizeof(word));
    return word;
}

/* Names the shaders of the archive by its table, so that code in the pool can be recognised. */
static void load_archive(void)
{
    char path[4096];
    snprintf(path, sizeof(path), "%s/shaders.bin", harness.romfs);
    FILE* file = fopen(path, "rb");
    if (file == NULL) {
        refuse("cannot open %s", path);
    }
    fseek(file, 0, SEEK_END);
    const size_t size = (size_t)ftell(file);
    rewind(file);
    uint8_t* bytes = malloc(size);
    if (fread(bytes, 1, size, file) != size) {
        refuse("cannot read %s", path);
    }
    fclose(file);
    for (uint32_t i = 0; i < word_at(bytes + 8); i++) {
        const uint8_t* entry = bytes + 16 + i * 48;
        for (size_t k = 0; k < sizeof(shaders) / sizeof(shaders[0]); k++) {
            if (strcmp((const char*)entry, shaders[k].name) == 0) {
                shaders[k].code = bytes + word_at(entry + 40);
                shaders[k].code_size = word_at(entry + 44);
            }
        }
    }
}

static NVNboolean ProgramInitialize(NVNprogram* program, NVNdevice* device)
{
    static uint32_t next;
    tag_of(device, KIND_DEVICE, "ProgramInitialize");
    if (next == 0) {
        load_archive();
    }
    if (next >= sizeof(programs) / sizeof(programs[0])) {
        refuse("ProgramInitialize: too many programs");
    }
    set_tag(program, KIND_PROGRAM, next++);
    return 1;
}

static void ProgramFinalize(NVNprogram* program)
{
    tag_of(program, KIND_PROGRAM, "ProgramFinalize");
}

static void ProgramSetDebugLabel(NVNprogram* program, const char* label)
{
    programs[tag_of(program, KIND_PROGRAM, "ProgramSetDebugLabel")].label = label;
}

static NVNboolean ProgramSetShaders(NVNprogram* program, int count, const NVNshaderData* data)
{
    host_program* p = &programs[tag_of(program, KIND_PROGRAM, "ProgramSetShaders")];
    for (int i = 0; i < count; i++) {
        const uint8_t* control = data[i].control;
        if (data[i].data % 256 != 0 || word_at(control) != 0x98761234) {
            refuse("ProgramSetShaders: section %d of %s", i, p->label);
        }
        const size_t code_size = word_at(control + 0x704);
        host_pool* pool = host_pool_of(data[i].data, code_size + 0x400, "ProgramSetShaders");
        if ((pool->flags & NVN_MEMORY_POOL_FLAGS_SHADER_CODE) == 0) {
            refuse("ProgramSetShaders: pool %s is not for shader code", pool->label);
        }
        const uint8_t* code = pool->memory + (data[i].data - pool->address);
        const host_shader* found = NULL;
        for (size_t k = 0; k < sizeof(shaders) / sizeof(shaders[0]); k++) {
            if (shaders[k].code_size == code_size && memcmp(shaders[k].code, code, code_size) == 0
                && shaders[k].stage == (int)word_at(control + 0x714)) {
                found = &shaders[k];
            }
        }
        if (found == NULL) {
            refuse("ProgramSetShaders: the code of %s is not in the archive", p->label);
        }
        p->stages[found->stage] = found;
    }
    return 1;
}

const host_shader* host_program_stage(const NVNprogram* program, int stage)
{
    return programs[tag_of(program, KIND_PROGRAM, "BindProgram")].stages[stage];
}

const char* host_program_label(const NVNprogram* program)
{
    return programs[tag_of(program, KIND_PROGRAM, "BindProgram")].label;
}

/* ---- lookup ---- */

PFNNVNGENERICFUNCPTRPROC host_command_proc(const char* name);

#define OBJECT_FUNCTIONS(X) \
    X(DeviceBuilderSetDefaults) X(DeviceBuilderSetFlags) X(DeviceInitialize) X(DeviceFinalize) X(DeviceGetInteger) \
    X(DeviceSetDepthMode) X(DeviceGetTextureHandle) X(DeviceGenerateDebugDomainId) X(QueueBuilderSetDevice) \
    X(QueueBuilderSetDefaults) X(QueueBuilderSetFlags) X(QueueBuilderSetComputeMemorySize) \
    X(QueueBuilderGetQueueMemorySize) X(QueueBuilderSetQueueMemory) X(QueueInitialize) X(QueueFinalize) \
    X(QueueSetDebugLabel) X(QueueFlush) X(QueueFinish) X(QueueFenceSync) X(QueueWaitSync) X(QueuePresentTexture) \
    X(QueueGetError) X(WindowBuilderSetDevice) X(WindowBuilderSetDefaults) X(WindowBuilderSetNativeWindow) \
    X(WindowBuilderSetTextures) X(WindowBuilderSetPresentInterval) X(WindowInitialize) X(WindowFinalize) \
    X(WindowAcquireTexture) X(SyncInitialize) X(SyncFinalize) X(SyncWait) X(MemoryPoolBuilderSetDevice) \
    X(MemoryPoolBuilderSetDefaults) X(MemoryPoolBuilderSetStorage) X(MemoryPoolBuilderSetFlags) \
    X(MemoryPoolInitialize) X(MemoryPoolSetDebugLabel) X(MemoryPoolFinalize) X(MemoryPoolMap) \
    X(MemoryPoolFlushMappedRange) X(MemoryPoolGetBufferAddress) X(BufferBuilderSetDevice) X(BufferBuilderSetDefaults) \
    X(BufferBuilderSetStorage) X(BufferInitialize) X(BufferFinalize) X(BufferMap) X(BufferGetAddress) \
    X(TextureBuilderSetDevice) X(TextureBuilderSetDefaults) X(TextureBuilderSetFlags) X(TextureBuilderSetTarget) \
    X(TextureBuilderSetSize2D) X(TextureBuilderSetSize3D) X(TextureBuilderSetLevels) X(TextureBuilderSetFormat) \
    X(TextureBuilderSetSwizzle) X(TextureBuilderGetStorageSize) X(TextureBuilderGetStorageAlignment) \
    X(TextureBuilderSetStorage) X(TextureInitialize) X(TextureFinalize) X(TextureSetDebugLabel) X(TextureWriteTexels) \
    X(TextureFlushTexels) X(TextureViewSetDefaults) X(TextureViewSetLevels) X(TextureViewSetLayers) \
    X(TextureViewSetFormat) X(TexturePoolInitialize) X(TexturePoolFinalize) X(TexturePoolRegisterTexture) \
    X(SamplerPoolInitialize) X(SamplerPoolFinalize) X(SamplerPoolRegisterSampler) X(SamplerBuilderSetDevice) \
    X(SamplerBuilderSetDefaults) X(SamplerBuilderSetMinMagFilter) X(SamplerBuilderSetWrapMode) \
    X(SamplerBuilderSetCompare) X(SamplerInitialize) X(SamplerFinalize) X(ProgramInitialize) X(ProgramFinalize) \
    X(ProgramSetDebugLabel) X(ProgramSetShaders)

/* Each must have the type of the pointer it stands for. */
#define CHECK_TYPE(name) \
    _Static_assert(_Generic(&(name), __typeof__(pfnc_nvn##name): 1, default: 0), "type of nvn" #name);
OBJECT_FUNCTIONS(CHECK_TYPE)
#undef CHECK_TYPE

static PFNNVNGENERICFUNCPTRPROC get_proc(const NVNdevice* device, const char* name)
{
    (void)device;
#define FIND(function) \
    if (strcmp(name, "nvn" #function) == 0) { \
        return (PFNNVNGENERICFUNCPTRPROC)(function); \
    }
    OBJECT_FUNCTIONS(FIND)
#undef FIND
    if (strcmp(name, "nvnDeviceGetProcAddress") == 0) {
        return (PFNNVNGENERICFUNCPTRPROC)get_proc;
    }
    return host_command_proc(name);
}

PFNNVNGENERICFUNCPTRPROC nvnBootstrapLoader(const char* name)
{
    return get_proc(NULL, name);
}
