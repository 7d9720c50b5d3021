/* The recorded part of NVN: every command is checked against the state it meets, and listed. */
#include "nvn_host.h"

#include <string.h>

typedef struct binding {
    uint64_t address;
    size_t size;
    /* Number of the debug group in which it was bound; 0 = never. */
    int group;
} binding;

typedef struct texture_binding {
    host_texture* texture;
    int group;
} texture_binding;

static struct {
    bool recording;
    uint64_t handle;
    int group, depth;
    size_t command_memory, control_memory;
    binding uniforms[STAGES][UNIFORM_SLOTS];
    binding storages[STAGES][STORAGE_SLOTS];
    texture_binding textures[STAGES][TEXTURE_SLOTS];
    binding vertices[STREAMS];
    const host_shader* shaders[STAGES];
    host_texture* colors[COLORS];
    int color_count;
    host_texture* depth_target;
    bool has_targets, has_pools;
    int attribute_count, stream_count;
    int attribute_streams[STREAMS];
    bool depth_writes, stencil_writes, depth_tests, stencil_tests;
    uint32_t color_mask;
    /* Storage ranges that a dispatch may have written since the last barrier. */
    binding computed[64];
    int computed_count;
    PFNNVNCOMMANDBUFFERMEMORYCALLBACKPROC callback;
    void* callback_data;
} state;

/* Terrain draws differ in the base vertex alone and are listed as one line. */
static struct {
    char text[256];
    int count, first_base, last_base;
} held;

void list_flush(void)
{
    if (held.count == 0) {
        return;
    }
    if (harness.mode == MODE_LIST) {
        printf("%s, base vertex %d..%d, x%d\n", held.text, held.first_base, held.last_base, held.count);
    }
    held.count = 0;
}

static void recording(const char* call)
{
    if (!state.recording) {
        refuse("%s: nothing is being recorded", call);
    }
}

#define RECORDING() recording(__func__)

/* ---- memory and recording ---- */

static NVNboolean CommandBufferInitialize(NVNcommandBuffer* buffer, NVNdevice* device)
{
    (void)buffer;
    (void)device;
    return 1;
}

static void CommandBufferFinalize(NVNcommandBuffer* buffer)
{
    (void)buffer;
    if (state.recording) {
        refuse("CommandBufferFinalize: a recording is open");
    }
}

static void CommandBufferSetDebugLabel(NVNcommandBuffer* buffer, const char* label)
{
    (void)buffer;
    (void)label;
}

static void CommandBufferSetMemoryCallback(NVNcommandBuffer* buffer, PFNNVNCOMMANDBUFFERMEMORYCALLBACKPROC callback)
{
    (void)buffer;
    state.callback = callback;
}

static void CommandBufferSetMemoryCallbackData(NVNcommandBuffer* buffer, void* data)
{
    (void)buffer;
    state.callback_data = data;
}

static void CommandBufferAddCommandMemory(
    NVNcommandBuffer* buffer, const NVNmemoryPool* pool, ptrdiff_t offset, size_t size)
{
    (void)buffer;
    host_pool* p = host_pool_of_object(pool, __func__);
    if (offset < 0 || offset % 4 != 0 || size < 0x200 || (size_t)offset > p->size || size > p->size - (size_t)offset) {
        refuse("%s: %zu bytes at 0x%tx of %s", __func__, size, offset, p->label);
    }
    state.command_memory = size;
}

static void CommandBufferAddControlMemory(NVNcommandBuffer* buffer, void* memory, size_t size)
{
    (void)buffer;
    if ((uintptr_t)memory % 8 != 0 || size < 0x100) {
        refuse("%s: %p, %zu bytes", __func__, memory, size);
    }
    state.control_memory = size;
}

static void CommandBufferBeginRecording(NVNcommandBuffer* buffer)
{
    if (state.recording || state.command_memory == 0 || state.control_memory == 0) {
        refuse("%s: already recording, or without memory", __func__);
    }
    state.recording = true;
    if (state.callback != NULL && host_fault("command-memory")) {
        state.callback(buffer, NVN_COMMAND_BUFFER_MEMORY_EVENT_OUT_OF_COMMAND_MEMORY, 0x1000, state.callback_data);
        state.callback(buffer, NVN_COMMAND_BUFFER_MEMORY_EVENT_OUT_OF_CONTROL_MEMORY, 0x1000, state.callback_data);
    }
    list("begin recording");
}

static NVNcommandHandle CommandBufferEndRecording(NVNcommandBuffer* buffer)
{
    (void)buffer;
    RECORDING();
    if (state.depth != 0) {
        refuse("%s: %d debug groups are open", __func__, state.depth);
    }
    state.recording = false;
    list("end recording");
    return ++state.handle;
}

static void QueueSubmitCommands(NVNqueue* queue, int count, const NVNcommandHandle* handles)
{
    (void)queue;
    if (count != 1 || handles[0] != state.handle) {
        refuse("%s: %d handles, the first 0x%llx", __func__, count, (unsigned long long)handles[0]);
    }
    list("queue: submit");
}

static void CommandBufferPushDebugGroupStatic(NVNcommandBuffer* buffer, uint32_t domain, const char* text)
{
    (void)buffer;
    (void)domain;
    RECORDING();
    state.depth++;
    state.group++;
    list("-- %s", text);
    if (harness.mode == MODE_BLOCKS) {
        printf("group %d %s\n", harness_presented, text);
    }
}

static void CommandBufferPopDebugGroup(NVNcommandBuffer* buffer)
{
    (void)buffer;
    RECORDING();
    if (--state.depth < 0) {
        refuse("%s: no group is open", __func__);
    }
}

/* ---- state objects: the host's own few bytes ---- */

static void SetDefaults8(void* object)
{
    memset(object, 0, 8);
}

static void BlendStateSetDefaults(NVNblendState* blend)
{
    SetDefaults8(blend);
}

static void BlendStateSetBlendTarget(NVNblendState* blend, int target)
{
    if (target < 0 || target >= COLORS) {
        refuse("%s: %d", __func__, target);
    }
    blend->opaque[0] = (unsigned char)target;
}

static bool blend_func(int func)
{
    return (func >= 1 && func <= 11) || (func >= 16 && func <= 19) || (func >= 0x61 && func <= 0x64);
}

static void BlendStateSetBlendFunc(
    NVNblendState* blend, NVNblendFunc source, NVNblendFunc destination, NVNblendFunc source_a, NVNblendFunc destination_a)
{
    if (!blend_func(source) || !blend_func(destination) || !blend_func(source_a) || !blend_func(destination_a)) {
        refuse("%s: %d %d %d %d", __func__, source, destination, source_a, destination_a);
    }
    blend->opaque[1] = (unsigned char)source;
    blend->opaque[2] = (unsigned char)destination;
}

static void BlendStateSetBlendEquation(NVNblendState* blend, NVNblendEquation color, NVNblendEquation alpha)
{
    if (color < 1 || color > 5 || alpha < 1 || alpha > 5) {
        refuse("%s: %d %d", __func__, color, alpha);
    }
    blend->opaque[3] = (unsigned char)color;
}

static void ColorStateSetDefaults(NVNcolorState* color)
{
    memset(color, 0, sizeof(*color));
}

static void ColorStateSetBlendEnable(NVNcolorState* color, int index, NVNboolean enable)
{
    if (index < 0 || index >= COLORS) {
        refuse("%s: %d", __func__, index);
    }
    color->opaque[0] = (unsigned char)((color->opaque[0] & ~(1 << index)) | (enable != 0) << index);
}

static void ChannelMaskStateSetDefaults(NVNchannelMaskState* mask)
{
    memset(mask, 0xFF, sizeof(*mask));
}

static void ChannelMaskStateSetChannelMask(
    NVNchannelMaskState* mask, int index, NVNboolean r, NVNboolean g, NVNboolean b, NVNboolean a)
{
    uint32_t bits;
    if (index < 0 || index >= COLORS) {
        refuse("%s: %d", __func__, index);
    }
    memcpy(&bits, mask, sizeof(bits));
    bits &= ~(15u << index * 4);
    bits |= (uint32_t)(r | g << 1 | b << 2 | a << 3) << index * 4;
    memcpy(mask, &bits, sizeof(bits));
}

static void MultisampleStateSetDefaults(NVNmultisampleState* multisample)
{
    memset(multisample, 0, sizeof(*multisample));
}

static void PolygonStateSetDefaults(NVNpolygonState* polygon)
{
    memset(polygon, 0, sizeof(*polygon));
}

static void PolygonStateSetCullFace(NVNpolygonState* polygon, NVNface face)
{
    if (face > NVN_FACE_FRONT_AND_BACK) {
        refuse("%s: %d", __func__, face);
    }
    polygon->opaque[0] = (unsigned char)face;
}

static void PolygonStateSetFrontFace(NVNpolygonState* polygon, NVNfrontFace face)
{
    polygon->opaque[1] = (unsigned char)face;
}

static void PolygonStateSetPolygonOffsetEnables(NVNpolygonState* polygon, int enables)
{
    if (enables < 0 || enables > 7) {
        refuse("%s: %d", __func__, enables);
    }
    polygon->opaque[2] = (unsigned char)enables;
}

/* depth test, depth write, depth func, stencil test, stencil func, stencil pass op */
static void DepthStencilStateSetDefaults(NVNdepthStencilState* depth)
{
    SetDefaults8(depth);
    depth->opaque[1] = 1;
    depth->opaque[2] = NVN_DEPTH_FUNC_LESS;
    depth->opaque[4] = NVN_STENCIL_FUNC_ALWAYS;
    depth->opaque[5] = NVN_STENCIL_OP_KEEP;
}

static void DepthStencilStateSetDepthTestEnable(NVNdepthStencilState* depth, NVNboolean enable)
{
    depth->opaque[0] = enable;
}

static void DepthStencilStateSetDepthWriteEnable(NVNdepthStencilState* depth, NVNboolean enable)
{
    depth->opaque[1] = enable;
}

static void DepthStencilStateSetDepthFunc(NVNdepthStencilState* depth, NVNdepthFunc func)
{
    if (func < NVN_DEPTH_FUNC_NEVER || func > NVN_DEPTH_FUNC_ALWAYS) {
        refuse("%s: %d", __func__, func);
    }
    depth->opaque[2] = (unsigned char)func;
}

static void DepthStencilStateSetStencilTestEnable(NVNdepthStencilState* depth, NVNboolean enable)
{
    depth->opaque[3] = enable;
}

static void DepthStencilStateSetStencilFunc(NVNdepthStencilState* depth, NVNface faces, NVNstencilFunc func)
{
    if (faces == NVN_FACE_NONE || func < NVN_STENCIL_FUNC_NEVER || func > NVN_STENCIL_FUNC_ALWAYS) {
        refuse("%s: faces %d, func %d", __func__, faces, func);
    }
    depth->opaque[4] = (unsigned char)func;
}

static void DepthStencilStateSetStencilOp(
    NVNdepthStencilState* depth, NVNface faces, NVNstencilOp fail, NVNstencilOp depth_fail, NVNstencilOp pass)
{
    if (faces == NVN_FACE_NONE || fail < 1 || fail > 8 || depth_fail < 1 || depth_fail > 8 || pass < 1 || pass > 8) {
        refuse("%s: faces %d, ops %d %d %d", __func__, faces, fail, depth_fail, pass);
    }
    depth->opaque[5] = (unsigned char)pass;
}

static void VertexAttribStateSetDefaults(NVNvertexAttribState* attribute)
{
    memset(attribute, 0, sizeof(*attribute));
}

static void VertexAttribStateSetFormat(NVNvertexAttribState* attribute, NVNformat format, ptrdiff_t offset)
{
    if (format <= NVN_FORMAT_NONE || format > NVN_FORMAT_BGRA8_SRGB || offset < 0 || offset > 0x3FFF) {
        refuse("%s: format %d at %td", __func__, format, offset);
    }
    attribute->opaque[0] = (unsigned char)format;
    attribute->opaque[1] = (unsigned char)offset;
}

static void VertexAttribStateSetStreamIndex(NVNvertexAttribState* attribute, int stream)
{
    if (stream < 0 || stream >= STREAMS) {
        refuse("%s: %d", __func__, stream);
    }
    attribute->opaque[2] = (unsigned char)stream;
}

static void VertexStreamStateSetDefaults(NVNvertexStreamState* stream)
{
    memset(stream, 0, sizeof(*stream));
}

static void VertexStreamStateSetStride(NVNvertexStreamState* stream, ptrdiff_t stride)
{
    if (stride < 0 || stride > 4095) {
        refuse("%s: %td", __func__, stride);
    }
    stream->opaque[0] = (unsigned char)stride;
}

static void VertexStreamStateSetDivisor(NVNvertexStreamState* stream, int divisor)
{
    stream->opaque[4] = (unsigned char)divisor;
}

/* ---- binding ---- */

static void CommandBufferSetTexturePool(NVNcommandBuffer* buffer, const NVNtexturePool* pool)
{
    (void)buffer;
    RECORDING();
    state.has_pools = pool != NULL;
}

static void CommandBufferSetSamplerPool(NVNcommandBuffer* buffer, const NVNsamplerPool* pool)
{
    (void)buffer;
    RECORDING();
    state.has_pools = state.has_pools && pool != NULL;
}

static void CommandBufferSetShaderScratchMemory(
    NVNcommandBuffer* buffer, const NVNmemoryPool* pool, ptrdiff_t offset, size_t size)
{
    (void)buffer;
    RECORDING();
    host_pool* p = host_pool_of_object(pool, __func__);
    if (offset % 0x1000 != 0 || size % 0x20000 != 0 || (size_t)offset + size > p->size) {
        refuse("%s: %zu bytes at 0x%tx", __func__, size, offset);
    }
}

static void CommandBufferBindProgram(NVNcommandBuffer* buffer, const NVNprogram* program, int stages)
{
    (void)buffer;
    RECORDING();
    for (int stage = 0; stage < STAGES; stage++) {
        if ((stages >> stage & 1) != 0) {
            state.shaders[stage] = program != NULL ? host_program_stage(program, stage) : NULL;
            if (program != NULL && state.shaders[stage] == NULL) {
                refuse("%s: %s has no stage %d", __func__, host_program_label(program), stage);
            }
        }
    }
    if (program != NULL) {
        list("program %s, stages 0x%x", host_program_label(program), stages);
    }
}

static void CommandBufferBindBlendState(NVNcommandBuffer* buffer, const NVNblendState* blend)
{
    (void)buffer;
    RECORDING();
    list("blend target %d: func %d %d, equation %d", blend->opaque[0], blend->opaque[1], blend->opaque[2],
        blend->opaque[3]);
}

static void CommandBufferBindColorState(NVNcommandBuffer* buffer, const NVNcolorState* color)
{
    (void)buffer;
    RECORDING();
    list("color state: blend 0x%x", color->opaque[0]);
}

static void CommandBufferBindChannelMaskState(NVNcommandBuffer* buffer, const NVNchannelMaskState* mask)
{
    (void)buffer;
    RECORDING();
    memcpy(&state.color_mask, mask, sizeof(state.color_mask));
    list("channel mask 0x%x", state.color_mask);
}

static void CommandBufferBindMultisampleState(NVNcommandBuffer* buffer, const NVNmultisampleState* multisample)
{
    (void)buffer;
    (void)multisample;
    RECORDING();
}

static void CommandBufferBindPolygonState(NVNcommandBuffer* buffer, const NVNpolygonState* polygon)
{
    (void)buffer;
    RECORDING();
    list("polygon: cull %d, front %d, offset %d", polygon->opaque[0], polygon->opaque[1], polygon->opaque[2]);
}

static void CommandBufferBindDepthStencilState(NVNcommandBuffer* buffer, const NVNdepthStencilState* depth)
{
    (void)buffer;
    RECORDING();
    state.depth_tests = depth->opaque[0] != 0;
    state.depth_writes = state.depth_tests && depth->opaque[1] != 0;
    state.stencil_tests = depth->opaque[3] != 0;
    state.stencil_writes = state.stencil_tests && depth->opaque[5] != NVN_STENCIL_OP_KEEP;
    list("depth: test %d, write %d, func %d; stencil: test %d, func %d, pass %d", depth->opaque[0], depth->opaque[1],
        depth->opaque[2], depth->opaque[3], depth->opaque[4], depth->opaque[5]);
}

static void CommandBufferBindVertexAttribState(NVNcommandBuffer* buffer, int count, const NVNvertexAttribState* states)
{
    (void)buffer;
    RECORDING();
    char text[128] = "";
    size_t used = 0;
    state.attribute_count = count;
    for (int i = 0; i < count; i++) {
        const unsigned char* a = states[i].opaque;
        state.attribute_streams[i] = a[0] != 0 ? a[2] : -1;
        used += (size_t)snprintf(text + used, sizeof(text) - used, " 0x%x@%d/%d", a[0], a[1], a[2]);
    }
    list("attributes:%s", text);
}

static void CommandBufferBindVertexStreamState(NVNcommandBuffer* buffer, int count, const NVNvertexStreamState* states)
{
    (void)buffer;
    RECORDING();
    char text[64] = "";
    size_t used = 0;
    state.stream_count = count;
    for (int i = 0; i < count; i++) {
        used += (size_t)snprintf(text + used, sizeof(text) - used, " %d/%d", states[i].opaque[0], states[i].opaque[4]);
    }
    list("streams:%s", text);
}

static void CommandBufferBindVertexBuffer(NVNcommandBuffer* buffer, int index, NVNbufferAddress address, size_t size)
{
    (void)buffer;
    RECORDING();
    host_pool_of(address, size, __func__);
    if (index < 0 || index >= STREAMS || address % 4 != 0) {
        refuse("%s: stream %d at %s", __func__, index, host_place(address));
    }
    state.vertices[index] = (binding){ address, size, state.group };
    list("vertex buffer %d: %s, %zu bytes", index, host_place(address), size);
}

static void CommandBufferBindVertexBuffers(
    NVNcommandBuffer* buffer, int first, int count, const NVNbufferRange* ranges)
{
    for (int i = 0; i < count; i++) {
        CommandBufferBindVertexBuffer(buffer, first + i, ranges[i].address, (size_t)ranges[i].size);
    }
}

static void print_block(int stage, int slot, uint64_t address, size_t size)
{
    const host_pool* pool = host_pool_of(address, size, "BindUniformBuffer");
    if ((pool->flags & NVN_MEMORY_POOL_FLAGS_CPU_NO_ACCESS) != 0) {
        return;
    }
    printf("block %d %d %zu ", stage, slot, size);
    for (size_t i = 0; i < size; i++) {
        printf("%02x", pool->memory[address - pool->address + i]);
    }
    putchar('\n');
}

static void CommandBufferBindUniformBuffer(
    NVNcommandBuffer* buffer, NVNshaderStage stage, int slot, NVNbufferAddress address, size_t size)
{
    (void)buffer;
    RECORDING();
    if (host_fault("uniform")) {
        address += 16;
    }
    host_pool_of(address, size, __func__);
    if (stage >= STAGES || slot < 0 || slot >= UNIFORM_SLOTS || address % 256 != 0 || size > 65536) {
        refuse("%s: stage %d slot %d at %s, %zu bytes", __func__, stage, slot, host_place(address), size);
    }
    state.uniforms[stage][slot] = (binding){ address, size, state.group };
    list("uniform %d.%d: %zu bytes", stage, slot, size);
    if (harness.mode == MODE_BLOCKS && (harness.slot < 0 || harness.slot == slot)) {
        print_block((int)stage, slot, address, size);
    }
}

static void CommandBufferUpdateUniformBuffer(NVNcommandBuffer* buffer, NVNbufferAddress address, size_t buffer_size,
    ptrdiff_t offset, size_t size, const void* data)
{
    (void)buffer;
    RECORDING();
    host_pool_of(address, buffer_size, __func__);
    if (address % 256 != 0 || offset % 4 != 0 || size % 4 != 0 || (size_t)offset + size > buffer_size || data == NULL) {
        refuse("%s: %zu bytes at %td of %s", __func__, size, offset, host_place(address));
    }
    const float* values = data;
    list("update uniform %s: %g %g ...", host_place(address), (double)values[0], (double)values[1]);
}

static void CommandBufferBindStorageBuffer(
    NVNcommandBuffer* buffer, NVNshaderStage stage, int slot, NVNbufferAddress address, size_t size)
{
    (void)buffer;
    RECORDING();
    host_pool_of(address, size, __func__);
    if (stage >= STAGES || slot < 0 || slot >= STORAGE_SLOTS || address % 4 != 0) {
        refuse("%s: stage %d slot %d at %s", __func__, stage, slot, host_place(address));
    }
    state.storages[stage][slot] = (binding){ address, size, state.group };
    list("storage %d.%d: %s, %zu bytes", stage, slot, host_place(address), size);
}

static void CommandBufferBindTexture(NVNcommandBuffer* buffer, NVNshaderStage stage, int slot, NVNtextureHandle handle)
{
    (void)buffer;
    RECORDING();
    if (stage >= STAGES || slot < 0 || slot >= TEXTURE_SLOTS) {
        refuse("%s: stage %d slot %d", __func__, stage, slot);
    }
    if (host_fault("texture") && slot == 1) {
        return;
    }
    host_texture* texture = host_texture_of_handle(handle, __func__);
    state.textures[stage][slot] = (texture_binding){ texture, state.group };
    list("texture %d.%d: %s, sampler %d", stage, slot, texture->label, (int)(handle >> 20) - 256);
}

/* ---- targets and other state ---- */

typedef struct host_view {
    int level, levels, layer, layers, format;
} host_view;

static void CommandBufferSetRenderTargets(NVNcommandBuffer* buffer, int count, const NVNtexture* const* colors,
    const NVNtextureView* const* views, const NVNtexture* depth, const NVNtextureView* depth_view)
{
    (void)buffer;
    RECORDING();
    char text[256] = "";
    size_t used = 0;
    int width = 0, height = 0;
    if (count < 0 || count > COLORS) {
        refuse("%s: %d colours", __func__, count);
    }
    state.color_count = count;
    state.has_targets = true;
    for (int i = 0; i < count; i++) {
        host_texture* t = host_texture_of(colors[i], __func__);
        host_view view = { 0 };
        if (views != NULL && views[i] != NULL) {
            memcpy(&view, views[i], sizeof(view));
        }
        if (view.level < 0 || view.level >= t->levels || view.layer < 0 || view.layer + view.layers > t->depth) {
            refuse("%s: view of %s", __func__, t->label);
        }
        const int w = t->width >> view.level, h = t->height >> view.level;
        if (i > 0 && (w != width || h != height)) {
            refuse("%s: %s is %d x %d among targets of %d x %d", __func__, t->label, w, h, width, height);
        }
        width = w;
        height = h;
        state.colors[i] = t;
        used += (size_t)snprintf(text + used, sizeof(text) - used, " %s", t->label);
        if (views != NULL && views[i] != NULL) {
            used += (size_t)snprintf(text + used, sizeof(text) - used, "[level %d, layers %d+%d, format 0x%x]", view.level,
                view.layer, view.layers, (unsigned)view.format);
        }
    }
    state.depth_target = NULL;
    if (depth != NULL) {
        host_texture* t = host_texture_of(depth, __func__);
        host_view view = { 0 };
        if (depth_view != NULL) {
            memcpy(&view, depth_view, sizeof(view));
        }
        if (view.layer + view.layers > t->depth || (count > 0 && (t->width != width || t->height != height))) {
            refuse("%s: depth target %s", __func__, t->label);
        }
        state.depth_target = t;
        used += (size_t)snprintf(text + used, sizeof(text) - used, " | %s", t->label);
        if (depth_view != NULL) {
            snprintf(text + used, sizeof(text) - used, "[layers %d+%d]", view.layer, view.layers);
        }
    }
    list("targets:%s", text);
}

static void CommandBufferSetViewport(NVNcommandBuffer* buffer, int x, int y, int w, int h)
{
    (void)buffer;
    RECORDING();
    list("viewport %d %d %d %d", x, y, w, h);
}

static void CommandBufferSetScissor(NVNcommandBuffer* buffer, int x, int y, int w, int h)
{
    (void)buffer;
    RECORDING();
    if (x < 0 || y < 0 || w < 0 || h < 0) {
        refuse("%s: %d %d %d %d", __func__, x, y, w, h);
    }
    list("scissor %d %d %d %d", x, y, w, h);
}

static void CommandBufferSetDepthRange(NVNcommandBuffer* buffer, float near, float far)
{
    (void)buffer;
    RECORDING();
    list("depth range %g %g", (double)near, (double)far);
}

static void CommandBufferSetDepthClamp(NVNcommandBuffer* buffer, NVNboolean clamp)
{
    (void)buffer;
    RECORDING();
    list("depth clamp %d", clamp);
}

static void CommandBufferSetPolygonOffsetClamp(NVNcommandBuffer* buffer, float factor, float units, float clamp)
{
    (void)buffer;
    RECORDING();
    list("polygon offset: factor %g, units %g, clamp %g", (double)factor, (double)units, (double)clamp);
}

static void CommandBufferSetPrimitiveRestart(NVNcommandBuffer* buffer, NVNboolean enable, int index)
{
    (void)buffer;
    RECORDING();
    list("primitive restart %d, index 0x%x", enable, (unsigned)index);
}

static void stencil(const char* what, NVNface faces, int value)
{
    RECORDING();
    if (faces == NVN_FACE_NONE || faces > NVN_FACE_FRONT_AND_BACK || value < 0 || value > 255) {
        refuse("stencil %s: faces %d, %d", what, faces, value);
    }
    list("stencil %s %d", what, value);
}

static void CommandBufferSetStencilRef(NVNcommandBuffer* buffer, NVNface faces, int value)
{
    (void)buffer;
    stencil("reference", faces, value);
}

static void CommandBufferSetStencilMask(NVNcommandBuffer* buffer, NVNface faces, int value)
{
    (void)buffer;
    stencil("write mask", faces, value);
}

static void CommandBufferSetStencilValueMask(NVNcommandBuffer* buffer, NVNface faces, int value)
{
    (void)buffer;
    stencil("read mask", faces, value);
}

/* ---- work ---- */

static void needs(const host_shader* shader, const char* call)
{
    const int stage = shader->stage;
    for (int slot = 0; slot < UNIFORM_SLOTS; slot++) {
        const binding* b = &state.uniforms[stage][slot];
        /* Slot 0 holds for the whole frame; the others are bound by the pass that uses them. */
        if ((shader->uniforms >> slot & 1) != 0 && (slot == 0 ? b->address == 0 : b->group != state.group)) {
            refuse("%s: %s reads uniform slot %d, which this pass has not bound", call, shader->name, slot);
        }
    }
    for (int slot = 0; slot < STORAGE_SLOTS; slot++) {
        const binding* b = &state.storages[stage][slot];
        if ((shader->storages >> slot & 1) == 0) {
            continue;
        }
        if (b->group != state.group) {
            refuse("%s: %s reads storage slot %d, which this pass has not bound", call, shader->name, slot);
        }
        for (int i = 0; i < state.computed_count; i++) {
            if (state.computed[i].address == b->address) {
                refuse("%s: %s reads %s, which a dispatch wrote without a barrier since", call, shader->name,
                    host_place(b->address));
            }
        }
    }
    for (int slot = 0; slot < TEXTURE_SLOTS; slot++) {
        const texture_binding* b = &state.textures[stage][slot];
        if ((shader->textures >> slot & 1) == 0) {
            continue;
        }
        if (b->group != state.group) {
            refuse("%s: %s samples slot %d, which this pass has not bound", call, shader->name, slot);
        }
        if (b->texture->dirty) {
            refuse("%s: %s samples %s, which was written without a barrier since", call, shader->name,
                b->texture->label);
        }
    }
}

static bool attached(const host_texture* texture)
{
    for (int i = 0; i < state.color_count; i++) {
        if (state.colors[i] == texture) {
            return true;
        }
    }
    return state.depth_target == texture;
}

/* Checks what a draw meets, marks what it writes, and returns the feedback it reads as text. */
static const char* draw(const char* call)
{
    static char feedback[128];
    size_t used = 0;
    feedback[0] = 0;
    recording(call);
    if (!state.has_targets || !state.has_pools || state.shaders[NVN_SHADER_STAGE_VERTEX] == NULL) {
        refuse("%s: targets, descriptor pools or a vertex shader are missing", call);
    }
    if ((state.depth_tests || state.stencil_tests) && state.depth_target == NULL) {
        refuse("%s: depth or stencil test without a depth target", call);
    }
    if (state.shaders[NVN_SHADER_STAGE_FRAGMENT] == NULL && state.color_count != 0) {
        refuse("%s: colour targets without a fragment shader", call);
    }
    for (int i = 0; i < state.attribute_count; i++) {
        const int stream = state.attribute_streams[i];
        if (stream >= 0 && (stream >= state.stream_count || state.vertices[stream].group != state.group)) {
            refuse("%s: attribute %d reads stream %d, which this pass has not bound", call, i, stream);
        }
    }
    for (int stage = 0; stage <= NVN_SHADER_STAGE_FRAGMENT; stage++) {
        const host_shader* shader = state.shaders[stage];
        if (shader == NULL) {
            continue;
        }
        needs(shader, call);
        for (int slot = 0; slot < TEXTURE_SLOTS; slot++) {
            const host_texture* texture = state.textures[stage][slot].texture;
            if ((shader->textures >> slot & 1) != 0 && attached(texture)) {
                used += (size_t)snprintf(feedback + used, sizeof(feedback) - used, " %s", texture->label);
            }
        }
    }
    for (int i = 0; i < state.color_count; i++) {
        if ((state.color_mask >> i * 4 & 15) != 0) {
            state.colors[i]->dirty = true;
        }
    }
    if (state.depth_target != NULL && (state.depth_writes || state.stencil_writes)) {
        state.depth_target->dirty = true;
    }
    return used != 0 ? feedback : "";
}

static void list_draw(const char* text, const char* feedback)
{
    list("%s%s%s", text, feedback[0] != 0 ? "; reads attached" : "", feedback);
}

static void check_indices(uint64_t address, NVNindexType type, int count, const char* call)
{
    const size_t size = (size_t)1 << type;
    if (type > NVN_INDEX_TYPE_UNSIGNED_INT || count < 0 || address % size != 0) {
        refuse("%s: %d indices of type %d at %s", call, count, type, host_place(address));
    }
    host_pool_of(address, (size_t)count * size, call);
}

static void CommandBufferDrawArrays(NVNcommandBuffer* buffer, NVNdrawPrimitive mode, int first, int count)
{
    (void)buffer;
    char text[96];
    snprintf(text, sizeof(text), "draw arrays: mode %d, first %d, count %d", mode, first, count);
    list_draw(text, draw(__func__));
}

static void CommandBufferDrawArraysInstanced(
    NVNcommandBuffer* buffer, NVNdrawPrimitive mode, int first, int count, int base_instance, int instances)
{
    (void)buffer;
    char text[128];
    snprintf(text, sizeof(text), "draw arrays: mode %d, first %d, count %d, base instance %d, instances %d", mode, first,
        count, base_instance, instances);
    list_draw(text, draw(__func__));
}

static void CommandBufferDrawElements(
    NVNcommandBuffer* buffer, NVNdrawPrimitive mode, NVNindexType type, int count, NVNbufferAddress indices)
{
    (void)buffer;
    char text[160];
    check_indices(indices, type, count, __func__);
    snprintf(text, sizeof(text), "draw elements: mode %d, type %d, count %d, indices %s", mode, type, count,
        host_place(indices));
    list_draw(text, draw(__func__));
}

static void CommandBufferDrawElementsBaseVertex(NVNcommandBuffer* buffer, NVNdrawPrimitive mode, NVNindexType type,
    int count, NVNbufferAddress indices, int base)
{
    (void)buffer;
    char text[160];
    check_indices(indices, type, count, __func__);
    draw(__func__);
    snprintf(text, sizeof(text), "draw elements: mode %d, type %d, count %d, indices %s", mode, type, count,
        host_place(indices));
    if (held.count != 0 && strcmp(held.text, text) != 0) {
        list_flush();
    }
    if (held.count == 0) {
        memcpy(held.text, text, sizeof(text));
        held.first_base = base;
    }
    held.last_base = base;
    held.count++;
}

static void CommandBufferDrawElementsIndirect(NVNcommandBuffer* buffer, NVNdrawPrimitive mode, NVNindexType type,
    NVNbufferAddress indices, NVNbufferAddress record)
{
    (void)buffer;
    char text[192];
    enum { RECORD_SIZE = 20 };
    check_indices(indices, type, 0, __func__);
    host_pool_of(record, RECORD_SIZE, __func__);
    for (int i = 0; i < state.computed_count; i++) {
        if (state.computed[i].address == record) {
            refuse("%s: the record was computed without a barrier since", __func__);
        }
    }
    snprintf(text, sizeof(text), "draw elements indirect: mode %d, type %d, indices %s, record %s", mode, type,
        host_place(indices), host_place(record));
    list_draw(text, draw(__func__));
}

static void CommandBufferDispatchCompute(NVNcommandBuffer* buffer, int x, int y, int z)
{
    (void)buffer;
    RECORDING();
    const host_shader* shader = state.shaders[NVN_SHADER_STAGE_COMPUTE];
    if (shader == NULL || x < 1 || y < 1 || z < 1) {
        refuse("%s: %d x %d x %d groups", __func__, x, y, z);
    }
    needs(shader, __func__);
    for (int slot = 0; slot < STORAGE_SLOTS; slot++) {
        if ((shader->storages >> slot & 1) != 0 && state.computed_count < 64) {
            state.computed[state.computed_count++] = state.storages[NVN_SHADER_STAGE_COMPUTE][slot];
        }
    }
    list("dispatch %s: %d %d %d", shader->name, x, y, z);
}

static void CommandBufferClearColor(NVNcommandBuffer* buffer, int index, const float* color, int mask)
{
    (void)buffer;
    RECORDING();
    if (index < 0 || index >= state.color_count || mask < 1 || mask > 15) {
        refuse("%s: target %d, mask 0x%x", __func__, index, (unsigned)mask);
    }
    state.colors[index]->dirty = true;
    list("clear color %d: %g %g %g %g", index, (double)color[0], (double)color[1], (double)color[2], (double)color[3]);
}

static void CommandBufferClearDepthStencil(
    NVNcommandBuffer* buffer, float depth, NVNboolean depth_mask, int value, int stencil_mask)
{
    (void)buffer;
    RECORDING();
    if (state.depth_target == NULL || depth < 0.0f || depth > 1.0f) {
        refuse("%s: depth %g", __func__, (double)depth);
    }
    state.depth_target->dirty = true;
    list("clear depth %g (%d), stencil %d (mask 0x%x)", (double)depth, depth_mask, value, (unsigned)stencil_mask);
}

static void check_region(const host_texture* texture, const NVNcopyRegion* region, const NVNtextureView* view,
    const char* call)
{
    host_view v = { 0 };
    if (view != NULL) {
        memcpy(&v, view, sizeof(v));
    }
    if (v.level >= texture->levels || region->xoffset < 0 || region->yoffset < 0 || region->width < 1
        || region->height < 1 || region->depth != 1 || region->xoffset + region->width > texture->width >> v.level
        || region->yoffset + region->height > texture->height >> v.level) {
        refuse("%s: region %d x %d in level %d of %s", call, region->width, region->height, v.level, texture->label);
    }
}

static void CommandBufferCopyTextureToTexture(NVNcommandBuffer* buffer, const NVNtexture* source,
    const NVNtextureView* source_view, const NVNcopyRegion* source_region, const NVNtexture* target,
    const NVNtextureView* target_view, const NVNcopyRegion* target_region, int flags)
{
    (void)buffer;
    RECORDING();
    const host_texture* from = host_texture_of(source, __func__);
    host_texture* to = host_texture_of(target, __func__);
    check_region(from, source_region, source_view, __func__);
    check_region(to, target_region, target_view, __func__);
    to->dirty = true;
    list("copy %s %dx%d to %s %dx%d, flags %d", from->label, source_region->width, source_region->height, to->label,
        target_region->width, target_region->height, flags);
}

static void CommandBufferCopyBufferToTexture(NVNcommandBuffer* buffer, NVNbufferAddress source, const NVNtexture* target,
    const NVNtextureView* view, const NVNcopyRegion* region, int flags)
{
    (void)buffer;
    RECORDING();
    host_texture* to = host_texture_of(target, __func__);
    check_region(to, region, view, __func__);
    host_pool_of(source, (size_t)(region->width * region->height * host_texel_size(to->format)), __func__);
    to->dirty = true;
    list("copy %s to %s %dx%d, flags %d", host_place(source), to->label, region->width, region->height, flags);
}

static void CommandBufferClearBuffer(NVNcommandBuffer* buffer, NVNbufferAddress address, size_t size, uint32_t value)
{
    (void)buffer;
    RECORDING();
    host_pool_of(address, size, __func__);
    if (address % 4 != 0 || size % 4 != 0) {
        refuse("%s: %zu bytes at %s", __func__, size, host_place(address));
    }
    list("clear buffer %s, %zu bytes, 0x%x", host_place(address), size, value);
}

static void CommandBufferClearTexture(NVNcommandBuffer* buffer, const NVNtexture* texture, const NVNtextureView* view,
    const NVNcopyRegion* region, const float* color, int mask)
{
    (void)buffer;
    RECORDING();
    host_texture* to = host_texture_of(texture, __func__);
    check_region(to, region, view, __func__);
    to->dirty = true;
    list("clear texture %s: %g %g %g %g, mask 0x%x", to->label, (double)color[0], (double)color[1], (double)color[2],
        (double)color[3], (unsigned)mask);
}

static void CommandBufferBarrier(NVNcommandBuffer* buffer, int bits)
{
    (void)buffer;
    RECORDING();
    if (bits <= 0 || bits > 0x1FF) {
        refuse("%s: 0x%x", __func__, (unsigned)bits);
    }
    list("barrier 0x%x", (unsigned)bits);
    if (host_fault("barrier")) {
        return;
    }
    const int drawn = NVN_BARRIER_ORDER_FRAGMENTS_BIT | NVN_BARRIER_INVALIDATE_TEXTURE_BIT;
    const int computed = NVN_BARRIER_ORDER_PRIMITIVES_BIT | NVN_BARRIER_INVALIDATE_SHADER_BIT;
    if ((bits & drawn) == drawn) {
        for (int i = 0; i < MAX_TEXTURES; i++) {
            host_textures[i].dirty = false;
        }
    }
    if ((bits & computed) == computed) {
        state.computed_count = 0;
    }
}

/* ---- lookup ---- */

#define COMMAND_FUNCTIONS(X) \
    X(QueueSubmitCommands) X(CommandBufferInitialize) X(CommandBufferFinalize) X(CommandBufferSetDebugLabel) \
    X(CommandBufferSetMemoryCallback) X(CommandBufferSetMemoryCallbackData) X(CommandBufferAddCommandMemory) \
    X(CommandBufferAddControlMemory) X(CommandBufferBeginRecording) X(CommandBufferEndRecording) \
    X(CommandBufferPushDebugGroupStatic) X(CommandBufferPopDebugGroup) X(BlendStateSetDefaults) \
    X(BlendStateSetBlendTarget) X(BlendStateSetBlendFunc) X(BlendStateSetBlendEquation) X(ColorStateSetDefaults) \
    X(ColorStateSetBlendEnable) X(ChannelMaskStateSetDefaults) X(ChannelMaskStateSetChannelMask) \
    X(MultisampleStateSetDefaults) X(PolygonStateSetDefaults) X(PolygonStateSetCullFace) X(PolygonStateSetFrontFace) \
    X(PolygonStateSetPolygonOffsetEnables) X(DepthStencilStateSetDefaults) X(DepthStencilStateSetDepthTestEnable) \
    X(DepthStencilStateSetDepthWriteEnable) X(DepthStencilStateSetDepthFunc) X(DepthStencilStateSetStencilTestEnable) \
    X(DepthStencilStateSetStencilFunc) X(DepthStencilStateSetStencilOp) X(VertexAttribStateSetDefaults) \
    X(VertexAttribStateSetFormat) X(VertexAttribStateSetStreamIndex) X(VertexStreamStateSetDefaults) \
    X(VertexStreamStateSetStride) X(VertexStreamStateSetDivisor) X(CommandBufferSetTexturePool) \
    X(CommandBufferSetSamplerPool) X(CommandBufferSetShaderScratchMemory) X(CommandBufferBindProgram) \
    X(CommandBufferBindBlendState) X(CommandBufferBindColorState) X(CommandBufferBindChannelMaskState) \
    X(CommandBufferBindMultisampleState) X(CommandBufferBindPolygonState) X(CommandBufferBindDepthStencilState) \
    X(CommandBufferBindVertexAttribState) X(CommandBufferBindVertexStreamState) X(CommandBufferBindVertexBuffer) \
    X(CommandBufferBindVertexBuffers) X(CommandBufferBindUniformBuffer) X(CommandBufferUpdateUniformBuffer) \
    X(CommandBufferBindStorageBuffer) X(CommandBufferBindTexture) X(CommandBufferSetRenderTargets) \
    X(CommandBufferSetViewport) X(CommandBufferSetScissor) X(CommandBufferSetDepthRange) X(CommandBufferSetDepthClamp) \
    X(CommandBufferSetPolygonOffsetClamp) X(CommandBufferSetPrimitiveRestart) X(CommandBufferSetStencilRef) \
    X(CommandBufferSetStencilMask) X(CommandBufferSetStencilValueMask) X(CommandBufferDrawArrays) \
    X(CommandBufferDrawArraysInstanced) X(CommandBufferDrawElements) X(CommandBufferDrawElementsBaseVertex) \
    X(CommandBufferDrawElementsIndirect) X(CommandBufferDispatchCompute) X(CommandBufferClearColor) \
    X(CommandBufferClearDepthStencil) X(CommandBufferCopyTextureToTexture) X(CommandBufferCopyBufferToTexture) \
    X(CommandBufferClearBuffer) X(CommandBufferClearTexture) X(CommandBufferBarrier)

#define CHECK_TYPE(name) \
    _Static_assert(_Generic(&(name), __typeof__(pfnc_nvn##name): 1, default: 0), "type of nvn" #name);
COMMAND_FUNCTIONS(CHECK_TYPE)
#undef CHECK_TYPE

PFNNVNGENERICFUNCPTRPROC host_command_proc(const char* name);

PFNNVNGENERICFUNCPTRPROC host_command_proc(const char* name)
{
#define FIND(function) \
    if (strcmp(name, "nvn" #function) == 0) { \
        return (PFNNVNGENERICFUNCPTRPROC)(function); \
    }
    COMMAND_FUNCTIONS(FIND)
#undef FIND
    return NULL;
}
