/* P5 shadows, P6 depth pre-pass, P7 G-buffer with decals, P8 half depth. */
#include "frame.h"

enum {
    TERRAIN_CHUNKS = 64,
    CHUNK_VERTICES = 33 * 33,
    RESTART_INDEX = 0xFFFF,
    STENCIL_GROUND = 1,
    STENCIL_CHARACTER = 2,
    STENCIL_GRASS = 4,
    DECALS = 6,
    DECAL_VERTICES = 36,
};

/* Centre, width (the height is 2), tint. */
typedef struct decal {
    double x, y, z, width, red, green, blue;
} decal;

static const decal decals[DECALS] = {
    { 1.3, 2.225, 6.6, 1.5, 0.9, 0.75, 0.4 },
    { 3.6, 2.722, 1.5, 2.2, 0.5, 0.75, 1.0 },
    { -1.8, 2.662, 3.0, 1.8, 0.95, 0.6, 0.35 },
    { 5.5, 3.226, 5.5, 1.4, 0.5, 0.8, 1.0 },
    { 0.6, 2.816, -2.5, 2.4, 0.95, 0.7, 0.4 },
    { -4.5, 3.012, -1.0, 2.0, 0.6, 0.8, 1.0 },
};

static void bind_mesh(asset_id vertices)
{
    const NVNbufferRange range = asset_range(vertices);
    nvnCommandBufferBindVertexBuffer(&commands, 0, range.address, range.size);
}

static int index_count(NVNbufferRange indices)
{
    return (int)(indices.size / sizeof(uint16_t));
}

static void draw_terrain(void)
{
    const NVNbufferRange indices = asset_range(ASSET_TERRAIN_INDICES);
    bind_mesh(ASSET_TERRAIN_VERTICES);
    nvnCommandBufferSetPrimitiveRestart(&commands, 1, RESTART_INDEX);
    for (int chunk = 0; chunk < TERRAIN_CHUNKS; chunk++) {
        nvnCommandBufferDrawElementsBaseVertex(&commands, NVN_DRAW_PRIMITIVE_TRIANGLE_STRIP,
            NVN_INDEX_TYPE_UNSIGNED_SHORT, index_count(indices), indices.address, chunk * CHUNK_VERTICES);
    }
    nvnCommandBufferSetPrimitiveRestart(&commands, 0, RESTART_INDEX);
}

static void draw_character(void)
{
    const NVNbufferRange indices = asset_range(ASSET_CHARACTER_INDICES);
    bind_mesh(ASSET_CHARACTER_VERTICES);
    nvnCommandBufferDrawElements(&commands, NVN_DRAW_PRIMITIVE_TRIANGLES, NVN_INDEX_TYPE_UNSIGNED_SHORT,
        index_count(indices), indices.address);
}

static void draw_rocks(void)
{
    const NVNbufferRange streams[2] = { asset_range(ASSET_ROCK_VERTICES), buffer_range(BUFFER_VISIBLE_ROCKS) };
    nvnCommandBufferBindVertexBuffers(&commands, 0, 2, streams);
    bind_storage(NVN_SHADER_STAGE_VERTEX, 0, asset_range(ASSET_ROCK_INSTANCES));
    nvnCommandBufferDrawElementsIndirect(&commands, NVN_DRAW_PRIMITIVE_TRIANGLES, NVN_INDEX_TYPE_UNSIGNED_SHORT,
        asset_range(ASSET_ROCK_INDICES).address, buffer_range(BUFFER_ROCK_RECORD).address);
}

void pass_shadows(const frame_context* frame)
{
    const draw_setup terrain = { .program = PROGRAM_TERRAIN_SHADOW, .layout = LAYOUT_TERRAIN_POSITION,
        .depth = DEPTH_LESS, .polygon = POLYGON_OFFSET, .blend = BLEND_OFF, .mask = MASK_ALL };
    draw_setup character = terrain;
    character.program = PROGRAM_CHARACTER_SHADOW;
    character.layout = LAYOUT_CHARACTER_POSITION;
    group_begin("P5 shadows");
    nvnCommandBufferSetPolygonOffsetClamp(&commands, 2.0f, 4.0f, 0.0f);
    nvnCommandBufferSetDepthClamp(&commands, 1);
    for (int k = 0; k < CASCADES; k++) {
        set_targets(NULL, 0, TEXTURE_SHADOW, &views.shadow_layer[k], SHADOW_SIZE, SHADOW_SIZE);
        nvnCommandBufferClearDepthStencil(&commands, 1.0f, 1, 0, 0);
        bind_uniform(NVN_SHADER_STAGE_VERTEX, 3, push(frame->scene->cascades[k], sizeof(frame->scene->cascades[k])));
        bind_uniform(NVN_SHADER_STAGE_VERTEX, 1, frame->terrain);
        bind_setup(&commands, terrain);
        draw_terrain();
        bind_uniform(NVN_SHADER_STAGE_VERTEX, 4, frame->bones);
        bind_setup(&commands, character);
        draw_character();
    }
    nvnCommandBufferSetDepthClamp(&commands, 0);
    group_end();
}

void pass_depth(const frame_context* frame)
{
    draw_setup setup = { .program = PROGRAM_TERRAIN_DEPTH, .layout = LAYOUT_TERRAIN_POSITION, .depth = DEPTH_LESS_MARK,
        .polygon = POLYGON_CULL_BACK, .blend = BLEND_OFF, .mask = MASK_ALL };
    group_begin("P6 depth");
    set_targets(NULL, 0, TEXTURE_DEPTH, NULL, SCREEN_WIDTH, SCREEN_HEIGHT);
    nvnCommandBufferClearDepthStencil(&commands, 1.0f, 1, 0, 0xFF);
    nvnCommandBufferSetStencilRef(&commands, NVN_FACE_FRONT_AND_BACK, STENCIL_GROUND);
    bind_uniform(NVN_SHADER_STAGE_VERTEX, 1, frame->terrain);
    bind_setup(&commands, setup);
    draw_terrain();
    setup.program = PROGRAM_ROCK_DEPTH;
    setup.layout = LAYOUT_ROCK_POSITION;
    bind_setup(&commands, setup);
    draw_rocks();
    nvnCommandBufferSetStencilRef(&commands, NVN_FACE_FRONT_AND_BACK, STENCIL_CHARACTER);
    setup.program = PROGRAM_CHARACTER_DEPTH;
    setup.layout = LAYOUT_CHARACTER_POSITION;
    bind_setup(&commands, setup);
    bind_uniform(NVN_SHADER_STAGE_VERTEX, 4, frame->bones);
    draw_character();
    group_end();
}

static void draw_surfaces(const frame_context* frame)
{
    draw_setup setup = { .program = PROGRAM_TERRAIN, .layout = LAYOUT_TERRAIN, .depth = DEPTH_EQUAL,
        .polygon = POLYGON_CULL_BACK, .blend = BLEND_OFF, .mask = MASK_ALL };
    bind_setup(&commands, setup);
    bind_uniform_both(1, frame->terrain);
    bind_texture(NVN_SHADER_STAGE_FRAGMENT, 0, TEXTURE_GRASS, SAMPLER_REPEAT);
    bind_texture(NVN_SHADER_STAGE_FRAGMENT, 1, TEXTURE_SAND, SAMPLER_REPEAT);
    bind_texture(NVN_SHADER_STAGE_FRAGMENT, 2, TEXTURE_ROCK, SAMPLER_REPEAT);
    draw_terrain();
    setup.program = PROGRAM_ROCK;
    setup.layout = LAYOUT_ROCK;
    bind_setup(&commands, setup);
    bind_texture(NVN_SHADER_STAGE_FRAGMENT, 0, TEXTURE_STONE, SAMPLER_LINEAR);
    draw_rocks();
    setup.program = PROGRAM_CHARACTER;
    setup.layout = LAYOUT_CHARACTER;
    bind_setup(&commands, setup);
    bind_uniform(NVN_SHADER_STAGE_VERTEX, 4, frame->bones);
    bind_uniform(NVN_SHADER_STAGE_FRAGMENT, 1, frame->plain);
    bind_texture(NVN_SHADER_STAGE_FRAGMENT, 0, TEXTURE_BODY, SAMPLER_LINEAR);
    bind_texture(NVN_SHADER_STAGE_FRAGMENT, 1, TEXTURE_MASK, SAMPLER_LINEAR);
    draw_character();
}

static void draw_grass(const frame_context* frame)
{
    enum { BLADE_POINTS = 7, ROOT_SIZE = 16 };
    const NVNbufferRange streams[2] = { asset_range(ASSET_GRASS_BLADE), asset_range(ASSET_GRASS_ROOTS) };
    bind_setup(&commands,
        (draw_setup){ .program = PROGRAM_GRASS, .layout = LAYOUT_GRASS, .depth = DEPTH_LESS_MARK,
            .polygon = POLYGON_CULL_NONE, .blend = BLEND_OFF, .mask = MASK_ALL });
    nvnCommandBufferSetStencilRef(&commands, NVN_FACE_FRONT_AND_BACK, STENCIL_GRASS);
    bind_uniform(NVN_SHADER_STAGE_VERTEX, 2, push(&frame->scene->grass, sizeof(frame->scene->grass)));
    bind_texture(NVN_SHADER_STAGE_VERTEX, 0, frame->map, SAMPLER_LINEAR);
    nvnCommandBufferBindVertexBuffers(&commands, 0, 2, streams);
    nvnCommandBufferDrawArraysInstanced(
        &commands, NVN_DRAW_PRIMITIVE_TRIANGLE_STRIP, 0, BLADE_POINTS, 0, (int)(streams[1].size / ROOT_SIZE));
}

/* Reads depth and normals of the pass it is part of; one barrier stands before. */
static void draw_decals(void)
{
    static const double no_param[4] = { 0.0, 0.0, 0.0, 0.0 };
    nvnCommandBufferBarrier(&commands, BARRIER_DRAWN);
    bind_setup(&commands,
        (draw_setup){ .program = PROGRAM_DECAL, .layout = LAYOUT_NONE, .depth = DEPTH_OFF_WHERE_EQUAL,
            .polygon = POLYGON_CULL_BACK, .blend = BLEND_DECAL, .mask = MASK_DECAL });
    nvnCommandBufferSetStencilRef(&commands, NVN_FACE_FRONT_AND_BACK, STENCIL_GROUND);
    bind_texture(NVN_SHADER_STAGE_FRAGMENT, 0, TEXTURE_DECAL, SAMPLER_LINEAR);
    bind_texture(NVN_SHADER_STAGE_FRAGMENT, 1, TEXTURE_DEPTH, SAMPLER_NEAREST);
    bind_texture(NVN_SHADER_STAGE_FRAGMENT, 2, TEXTURE_NORMAL, SAMPLER_NEAREST);
    for (int i = 0; i < DECALS; i++) {
        const decal* d = &decals[i];
        const double tint[4] = { d->red, d->green, d->blue, 0.85 };
        isl_mat4 model, inverse;
        float world_to_box[16];
        isl_translate_scale(&model, (isl_vec3){ d->x, d->y, d->z }, (isl_vec3){ d->width, 2.0, d->width });
        CHECK(isl_inverse(&inverse, &model));
        isl_store(world_to_box, &inverse);
        bind_uniform_both(1, push_object(&model, tint, no_param));
        bind_uniform(NVN_SHADER_STAGE_FRAGMENT, 2, push(world_to_box, sizeof(world_to_box)));
        nvnCommandBufferDrawArrays(&commands, NVN_DRAW_PRIMITIVE_TRIANGLES, 0, DECAL_VERTICES);
    }
}

void pass_geometry(const frame_context* frame)
{
    static const color_target targets[4] = {
        { TEXTURE_ALBEDO, NULL },
        { TEXTURE_NORMAL, NULL },
        { TEXTURE_MATERIAL, NULL },
        { TEXTURE_EMISSIVE, NULL },
    };
    static const float zero[4] = { 0.0f, 0.0f, 0.0f, 0.0f };
    group_begin("P7 geometry");
    set_targets(targets, COUNT_OF(targets), TEXTURE_DEPTH, NULL, SCREEN_WIDTH, SCREEN_HEIGHT);
    for (int i = 0; i < (int)COUNT_OF(targets); i++) {
        nvnCommandBufferClearColor(&commands, i, zero, NVN_CLEAR_COLOR_MASK_RGBA);
    }
    draw_surfaces(frame);
    draw_grass(frame);
    draw_decals();
    group_end();
}

void pass_half_depth(const frame_context* frame)
{
    static const NVNcopyRegion full = { 0, 0, 0, SCREEN_WIDTH, SCREEN_HEIGHT, 1 };
    static const NVNcopyRegion half = { 0, 0, 0, SCREEN_WIDTH / 2, SCREEN_HEIGHT / 2, 1 };
    (void)frame;
    group_begin("P8 half depth");
    nvnCommandBufferCopyTextureToTexture(&commands, &textures[TEXTURE_DEPTH], NULL, &full, &textures[TEXTURE_HALF_DEPTH],
        NULL, &half, NVN_COPY_FLAGS_NONE);
    nvnCommandBufferBarrier(&commands, BARRIER_DRAWN);
    group_end();
}
