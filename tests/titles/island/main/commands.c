#include "commands.h"

#include "scene.h"

enum {
    COMMAND_MEMORY = 0x80000,
    COMMAND_SPARE = 0x60000,
    CONTROL_MEMORY = 0x20000,
    CONTROL_SPARE = 0x20000,
    DYNAMIC_MEMORY = 0x60000,
    SPARE_GRAIN = 0x4000,
    UNIFORM_ALIGNMENT = 256,
};

/* Memory of one frame in flight. */
typedef struct slot {
    NVNsync done;
    size_t command_offset;
    uint8_t* control;
    size_t command_spare_used, control_spare_used;
    size_t dynamic_offset, dynamic_used;
} slot;

NVNcommandBuffer commands;
static slot slots[SLOTS];
static slot* current;

static size_t at_least(size_t wanted, size_t used, size_t limit)
{
    const size_t size = (wanted + SPARE_GRAIN - 1) / SPARE_GRAIN * SPARE_GRAIN;
    CHECK(size <= limit - used);
    return size;
}

static void out_of_memory(NVNcommandBuffer* buffer, NVNcommandBufferMemoryEvent event, size_t wanted, void* user)
{
    slot* s = *(slot**)user;
    if (event == NVN_COMMAND_BUFFER_MEMORY_EVENT_OUT_OF_COMMAND_MEMORY) {
        const size_t size = at_least(wanted, s->command_spare_used, COMMAND_SPARE);
        const size_t offset = s->command_offset + COMMAND_MEMORY + s->command_spare_used;
        nvnCommandBufferAddCommandMemory(buffer, &gpu.commands.pool, (ptrdiff_t)offset, size);
        s->command_spare_used += size;
    } else {
        const size_t size = at_least(wanted, s->control_spare_used, CONTROL_SPARE);
        nvnCommandBufferAddControlMemory(buffer, s->control + CONTROL_MEMORY + s->control_spare_used, size);
        s->control_spare_used += size;
    }
}

void commands_start(void)
{
    for (int i = 0; i < SLOTS; i++) {
        CHECK(nvnSyncInitialize(&slots[i].done, &gpu.device));
        slots[i].command_offset = gpu_allocate(&gpu.commands, COMMAND_MEMORY + COMMAND_SPARE, UNIFORM_ALIGNMENT);
        slots[i].control = arena_allocate(CONTROL_MEMORY + CONTROL_SPARE, 64);
        slots[i].dynamic_offset = gpu_allocate(&gpu.dynamic, DYNAMIC_MEMORY, UNIFORM_ALIGNMENT);
    }
    CHECK(nvnCommandBufferInitialize(&commands, &gpu.device));
    nvnCommandBufferSetDebugLabel(&commands, "frame");
    nvnCommandBufferSetMemoryCallback(&commands, out_of_memory);
    nvnCommandBufferSetMemoryCallbackData(&commands, (void*)&current);
}

void commands_end(void)
{
    nvnCommandBufferFinalize(&commands);
    for (int i = 0; i < SLOTS; i++) {
        nvnSyncFinalize(&slots[i].done);
    }
}

void recording_begin(uint32_t frame)
{
    current = &slots[frame % SLOTS];
    CHECK(nvnSyncWait(&current->done, UINT64_MAX) <= NVN_SYNC_WAIT_RESULT_CONDITION_SATISFIED);
    current->command_spare_used = 0;
    current->control_spare_used = 0;
    current->dynamic_used = 0;
    nvnCommandBufferAddCommandMemory(
        &commands, &gpu.commands.pool, (ptrdiff_t)current->command_offset, COMMAND_MEMORY);
    nvnCommandBufferAddControlMemory(&commands, current->control, CONTROL_MEMORY);
    nvnCommandBufferBeginRecording(&commands);
}

void recording_submit(void)
{
    const NVNcommandHandle handle = nvnCommandBufferEndRecording(&commands);
    CHECK(handle != 0);
    nvnQueueSubmitCommands(&gpu.queue, 1, &handle);
    nvnQueueFenceSync(&gpu.queue, &current->done, NVN_SYNC_CONDITION_ALL_GPU_COMMANDS_COMPLETE, 0);
    nvnQueueFlush(&gpu.queue);
}

void group_begin(const char* label)
{
    nvnCommandBufferPushDebugGroupStatic(&commands, (uint32_t)gpu.domain, label);
}

void group_end(void)
{
    nvnCommandBufferPopDebugGroup(&commands);
}

void* push_room(size_t size, NVNbufferAddress* address)
{
    const size_t room = (size + UNIFORM_ALIGNMENT - 1) & ~(size_t)(UNIFORM_ALIGNMENT - 1);
    CHECK(room <= DYNAMIC_MEMORY - current->dynamic_used);
    const size_t offset = current->dynamic_offset + current->dynamic_used;
    current->dynamic_used += room;
    *address = gpu.dynamic.address + offset;
    return gpu.dynamic.memory + offset;
}

uniform push(const void* data, size_t size)
{
    uniform block = { 0, (size + UNIFORM_ALIGNMENT - 1) & ~(size_t)(UNIFORM_ALIGNMENT - 1) };
    memcpy(push_room(size, &block.address), data, size);
    return block;
}

uniform push4(double a, double b, double c, double d)
{
    const float k[4] = { (float)a, (float)b, (float)c, (float)d };
    return push(k, sizeof(k));
}

void bind_uniform(NVNshaderStage stage, int slot_index, uniform block)
{
    nvnCommandBufferBindUniformBuffer(&commands, stage, slot_index, block.address, block.size);
}

void bind_uniform_both(int slot_index, uniform block)
{
    bind_uniform(NVN_SHADER_STAGE_VERTEX, slot_index, block);
    bind_uniform(NVN_SHADER_STAGE_FRAGMENT, slot_index, block);
}

void bind_storage(NVNshaderStage stage, int slot_index, NVNbufferRange range)
{
    nvnCommandBufferBindStorageBuffer(&commands, stage, slot_index, range.address, range.size);
}

void bind_texture(NVNshaderStage stage, int slot_index, texture_id texture, sampler_id sampler)
{
    nvnCommandBufferBindTexture(&commands, stage, slot_index, texture_handle(texture, sampler));
}

void set_targets(const color_target* colors, int count, texture_id depth, const NVNtextureView* depth_view, int width,
    int height)
{
    const NVNtexture* color_textures[4] = { NULL };
    const NVNtextureView* color_views[4] = { NULL };
    CHECK(count <= (int)COUNT_OF(color_textures));
    bool any_view = false;
    for (int i = 0; i < count; i++) {
        color_textures[i] = &textures[colors[i].texture];
        color_views[i] = colors[i].view;
        any_view = any_view || colors[i].view != NULL;
    }
    nvnCommandBufferSetRenderTargets(&commands, count, count != 0 ? color_textures : NULL, any_view ? color_views : NULL,
        depth != TEXTURE_COUNT ? &textures[depth] : NULL, depth_view);
    nvnCommandBufferSetViewport(&commands, 0, 0, width, height);
    nvnCommandBufferSetScissor(&commands, 0, 0, width, height);
}

void set_target(texture_id color, const NVNtextureView* view, int width, int height)
{
    const color_target target = { color, view };
    set_targets(&target, 1, TEXTURE_COUNT, NULL, width, height);
}

void draw_fullscreen(program_id program, blend_id blend)
{
    bind_setup(&commands,
        (draw_setup){ .program = program, .layout = LAYOUT_NONE, .depth = DEPTH_OFF, .polygon = POLYGON_CULL_BACK,
            .blend = blend, .mask = MASK_ALL });
    nvnCommandBufferDrawArrays(&commands, NVN_DRAW_PRIMITIVE_TRIANGLES, 0, 3);
}
