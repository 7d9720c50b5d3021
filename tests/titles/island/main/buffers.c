#include "buffers.h"

#include "scene.h"

enum {
    CLUSTERS = 16 * 9 * 16,
    LIGHTS_PER_CLUSTER = 16,
    PARTICLE_SIZE = 32,
    ALIGNMENT = 256,
};

static const size_t sizes[BUFFER_COUNT] = {
    [BUFFER_PARTICLES] = PARTICLES * PARTICLE_SIZE,
    [BUFFER_VISIBLE_ROCKS] = ROCKS * sizeof(uint32_t),
    [BUFFER_ROCK_RECORD] = 5 * sizeof(uint32_t),
    [BUFFER_CLUSTER_LISTS] = CLUSTERS * LIGHTS_PER_CLUSTER * sizeof(uint32_t),
    [BUFFER_EXPOSURE] = 16,
    [BUFFER_LAYOUT] = 256,
    [BUFFER_HUD_INDICES] = HUD_QUADS_PER_DRAW * 6,
};

static NVNbuffer buffers[BUFFER_COUNT];

static void make_buffer(buffer_id id, gpu_pool* pool)
{
    NVNbufferBuilder builder;
    nvnBufferBuilderSetDefaults(&builder);
    nvnBufferBuilderSetDevice(&builder, &gpu.device);
    nvnBufferBuilderSetStorage(
        &builder, &pool->pool, (ptrdiff_t)gpu_allocate(pool, sizes[id], ALIGNMENT), sizes[id]);
    CHECK(nvnBufferInitialize(&buffers[id], &builder));
}

void buffers_start(void)
{
    for (int id = 0; id < BUFFER_HUD_INDICES; id++) {
        make_buffer((buffer_id)id, &gpu.buffers);
    }
    make_buffer(BUFFER_HUD_INDICES, &gpu.dynamic);
    uint8_t* indices = nvnBufferMap(&buffers[BUFFER_HUD_INDICES]);
    static const uint8_t corners[6] = { 0, 1, 2, 0, 2, 3 };
    for (int quad = 0; quad < HUD_QUADS_PER_DRAW; quad++) {
        for (int i = 0; i < 6; i++) {
            indices[quad * 6 + i] = (uint8_t)(quad * 4 + corners[i]);
        }
    }
}

void buffers_record_clear(NVNcommandBuffer* commands)
{
    for (int id = 0; id <= BUFFER_EXPOSURE; id++) {
        const NVNbufferRange range = buffer_range((buffer_id)id);
        nvnCommandBufferClearBuffer(commands, range.address, range.size, 0);
    }
}

NVNbufferRange buffer_range(buffer_id id)
{
    return (NVNbufferRange){ nvnBufferGetAddress(&buffers[id]), sizes[id] };
}

NVNbufferRange asset_range(asset_id id)
{
    size_t size = 0;
    assets_wait(id, &size);
    return (NVNbufferRange){ gpu.assets.address + assets_offset(id), size };
}

void buffers_end(void)
{
    for (int id = 0; id < BUFFER_COUNT; id++) {
        nvnBufferFinalize(&buffers[id]);
    }
}
