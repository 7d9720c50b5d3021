#include "states.h"

enum {
    MAX_ATTRIBUTES = 5,
    MAX_STREAMS = 2,
    MAX_BLENDS = 2,
};

typedef struct attribute {
    /* NVN_FORMAT_NONE leaves the location without data. */
    NVNformat format;
    int offset;
    int stream;
} attribute;

typedef struct stream {
    int stride;
    int divisor;
} stream;

typedef struct layout_description {
    int attribute_count, stream_count;
    attribute attributes[MAX_ATTRIBUTES];
    stream streams[MAX_STREAMS];
} layout_description;

static const layout_description layouts[LAYOUT_COUNT] = {
    [LAYOUT_TERRAIN] = { 2, 1, { { NVN_FORMAT_RGBA16I, 0, 0 }, { NVN_FORMAT_RGB10A2SN, 8, 0 } }, { { 12, 0 } } },
    [LAYOUT_TERRAIN_POSITION] = { 1, 1, { { NVN_FORMAT_RGBA16I, 0, 0 } }, { { 12, 0 } } },
    [LAYOUT_CHARACTER] = { 5, 1,
        { { NVN_FORMAT_RGB32F, 0, 0 }, { NVN_FORMAT_RGB10A2SN, 12, 0 }, { NVN_FORMAT_RG16F, 16, 0 },
            { NVN_FORMAT_RGBA8UI, 20, 0 }, { NVN_FORMAT_RGBA8, 24, 0 } },
        { { 28, 0 } } },
    [LAYOUT_CHARACTER_POSITION] = { 5, 1,
        { { NVN_FORMAT_RGB32F, 0, 0 }, { NVN_FORMAT_NONE, 0, 0 }, { NVN_FORMAT_NONE, 0, 0 },
            { NVN_FORMAT_RGBA8UI, 20, 0 }, { NVN_FORMAT_RGBA8, 24, 0 } },
        { { 28, 0 } } },
    [LAYOUT_ROCK] = { 4, 2,
        { { NVN_FORMAT_RGB32F, 0, 0 }, { NVN_FORMAT_RGBA8SN, 12, 0 }, { NVN_FORMAT_RG16F, 16, 0 },
            { NVN_FORMAT_R32UI, 0, 1 } },
        { { 20, 0 }, { 4, 1 } } },
    [LAYOUT_ROCK_POSITION] = { 4, 2,
        { { NVN_FORMAT_RGB32F, 0, 0 }, { NVN_FORMAT_NONE, 0, 0 }, { NVN_FORMAT_NONE, 0, 0 },
            { NVN_FORMAT_R32UI, 0, 1 } },
        { { 20, 0 }, { 4, 1 } } },
    [LAYOUT_GRASS] = { 2, 2, { { NVN_FORMAT_RG8, 0, 0 }, { NVN_FORMAT_RGBA32F, 0, 1 } }, { { 2, 0 }, { 16, 1 } } },
    [LAYOUT_WATER] = { 1, 1, { { NVN_FORMAT_RG32F, 0, 0 } }, { { 8, 0 } } },
    [LAYOUT_HUD] = { 3, 1,
        { { NVN_FORMAT_RG16_I2F, 0, 0 }, { NVN_FORMAT_RG16, 4, 0 }, { NVN_FORMAT_RGBA8, 8, 0 } }, { { 12, 0 } } },
};

typedef struct blend_set {
    NVNcolorState color;
    NVNblendState blends[MAX_BLENDS];
    int count;
} blend_set;

static struct {
    NVNdepthStencilState depth[DEPTH_COUNT];
    NVNpolygonState polygon[POLYGON_COUNT];
    blend_set blend[BLEND_COUNT];
    NVNchannelMaskState mask[MASK_COUNT];
    NVNvertexAttribState attributes[LAYOUT_COUNT][MAX_ATTRIBUTES];
    NVNvertexStreamState streams[LAYOUT_COUNT][MAX_STREAMS];
} states;

static void make_depth(depth_id id, NVNdepthFunc func, bool writes, NVNstencilFunc stencil, NVNstencilOp pass)
{
    NVNdepthStencilState* state = &states.depth[id];
    nvnDepthStencilStateSetDefaults(state);
    nvnDepthStencilStateSetDepthTestEnable(state, func != NVN_DEPTH_FUNC_ALWAYS);
    nvnDepthStencilStateSetDepthWriteEnable(state, writes);
    nvnDepthStencilStateSetDepthFunc(state, func);
    const bool tests = stencil != NVN_STENCIL_FUNC_ALWAYS || pass != NVN_STENCIL_OP_KEEP;
    nvnDepthStencilStateSetStencilTestEnable(state, tests);
    nvnDepthStencilStateSetStencilFunc(state, NVN_FACE_FRONT_AND_BACK, stencil);
    nvnDepthStencilStateSetStencilOp(
        state, NVN_FACE_FRONT_AND_BACK, NVN_STENCIL_OP_KEEP, NVN_STENCIL_OP_KEEP, pass);
}

static void make_polygon(polygon_id id, NVNface cull, int offset)
{
    NVNpolygonState* state = &states.polygon[id];
    nvnPolygonStateSetDefaults(state);
    nvnPolygonStateSetFrontFace(state, NVN_FRONT_FACE_CCW);
    nvnPolygonStateSetCullFace(state, cull);
    nvnPolygonStateSetPolygonOffsetEnables(state, offset);
}

static void start_blend(blend_id id)
{
    nvnColorStateSetDefaults(&states.blend[id].color);
    states.blend[id].count = 0;
}

static void add_blend(blend_id id, int target, NVNblendFunc source, NVNblendFunc destination)
{
    blend_set* set = &states.blend[id];
    NVNblendState* state = &set->blends[set->count++];
    nvnColorStateSetBlendEnable(&set->color, target, 1);
    nvnBlendStateSetDefaults(state);
    nvnBlendStateSetBlendTarget(state, target);
    nvnBlendStateSetBlendFunc(state, source, destination, source, destination);
    nvnBlendStateSetBlendEquation(state, NVN_BLEND_EQUATION_ADD, NVN_BLEND_EQUATION_ADD);
}

static void make_blends(void)
{
    for (int id = 0; id < BLEND_COUNT; id++) {
        start_blend((blend_id)id);
    }
    add_blend(BLEND_ALPHA, 0, NVN_BLEND_FUNC_SRC_ALPHA, NVN_BLEND_FUNC_ONE_MINUS_SRC_ALPHA);
    add_blend(BLEND_ADD, 0, NVN_BLEND_FUNC_ONE, NVN_BLEND_FUNC_ONE);
    add_blend(BLEND_PREMULTIPLIED, 0, NVN_BLEND_FUNC_ONE, NVN_BLEND_FUNC_ONE_MINUS_SRC_ALPHA);
    add_blend(BLEND_DECAL, 0, NVN_BLEND_FUNC_SRC_ALPHA, NVN_BLEND_FUNC_ONE_MINUS_SRC_ALPHA);
    add_blend(BLEND_DECAL, 2, NVN_BLEND_FUNC_SRC_ALPHA, NVN_BLEND_FUNC_ONE_MINUS_SRC_ALPHA);
}

static void make_masks(void)
{
    for (int id = 0; id < MASK_COUNT; id++) {
        nvnChannelMaskStateSetDefaults(&states.mask[id]);
    }
    nvnChannelMaskStateSetChannelMask(&states.mask[MASK_RG], 0, 1, 1, 0, 0);
    nvnChannelMaskStateSetChannelMask(&states.mask[MASK_DECAL], 0, 1, 1, 1, 0);
    nvnChannelMaskStateSetChannelMask(&states.mask[MASK_DECAL], 1, 0, 0, 0, 0);
    nvnChannelMaskStateSetChannelMask(&states.mask[MASK_DECAL], 2, 1, 1, 1, 0);
    nvnChannelMaskStateSetChannelMask(&states.mask[MASK_DECAL], 3, 0, 0, 0, 0);
}

static void make_layouts(void)
{
    for (int id = 0; id < LAYOUT_COUNT; id++) {
        const layout_description* from = &layouts[id];
        for (int i = 0; i < from->attribute_count; i++) {
            NVNvertexAttribState* state = &states.attributes[id][i];
            nvnVertexAttribStateSetDefaults(state);
            if (from->attributes[i].format != NVN_FORMAT_NONE) {
                nvnVertexAttribStateSetFormat(state, from->attributes[i].format, from->attributes[i].offset);
                nvnVertexAttribStateSetStreamIndex(state, from->attributes[i].stream);
            }
        }
        for (int i = 0; i < from->stream_count; i++) {
            NVNvertexStreamState* state = &states.streams[id][i];
            nvnVertexStreamStateSetDefaults(state);
            nvnVertexStreamStateSetStride(state, from->streams[i].stride);
            nvnVertexStreamStateSetDivisor(state, from->streams[i].divisor);
        }
    }
}

void states_start(void)
{
    const NVNstencilFunc always = NVN_STENCIL_FUNC_ALWAYS;
    const NVNstencilOp keep = NVN_STENCIL_OP_KEEP;
    make_depth(DEPTH_OFF, NVN_DEPTH_FUNC_ALWAYS, false, always, keep);
    make_depth(DEPTH_LESS, NVN_DEPTH_FUNC_LESS, true, always, keep);
    make_depth(DEPTH_LESS_MARK, NVN_DEPTH_FUNC_LESS, true, always, NVN_STENCIL_OP_REPLACE);
    make_depth(DEPTH_EQUAL, NVN_DEPTH_FUNC_EQUAL, false, always, keep);
    make_depth(DEPTH_LEQUAL, NVN_DEPTH_FUNC_LEQUAL, false, always, keep);
    make_depth(DEPTH_OFF_WHERE_EQUAL, NVN_DEPTH_FUNC_ALWAYS, false, NVN_STENCIL_FUNC_EQUAL, keep);
    make_depth(DEPTH_OFF_WHERE_DIFFERENT, NVN_DEPTH_FUNC_ALWAYS, false, NVN_STENCIL_FUNC_NOTEQUAL, keep);
    make_depth(DEPTH_LEQUAL_WHERE_EQUAL, NVN_DEPTH_FUNC_LEQUAL, false, NVN_STENCIL_FUNC_EQUAL, keep);
    make_polygon(POLYGON_CULL_BACK, NVN_FACE_BACK, NVN_POLYGON_OFFSET_ENABLE_NONE);
    make_polygon(POLYGON_CULL_NONE, NVN_FACE_NONE, NVN_POLYGON_OFFSET_ENABLE_NONE);
    make_polygon(POLYGON_OFFSET, NVN_FACE_BACK, NVN_POLYGON_OFFSET_ENABLE_FILL);
    make_blends();
    make_masks();
    make_layouts();
}

void bind_setup(NVNcommandBuffer* commands, draw_setup setup)
{
    const blend_set* blend = &states.blend[setup.blend];
    bind_program(commands, setup.program);
    nvnCommandBufferBindDepthStencilState(commands, &states.depth[setup.depth]);
    nvnCommandBufferBindPolygonState(commands, &states.polygon[setup.polygon]);
    nvnCommandBufferBindColorState(commands, &blend->color);
    for (int i = 0; i < blend->count; i++) {
        nvnCommandBufferBindBlendState(commands, &blend->blends[i]);
    }
    nvnCommandBufferBindChannelMaskState(commands, &states.mask[setup.mask]);
    nvnCommandBufferBindVertexAttribState(
        commands, layouts[setup.layout].attribute_count, states.attributes[setup.layout]);
    nvnCommandBufferBindVertexStreamState(commands, layouts[setup.layout].stream_count, states.streams[setup.layout]);
}
