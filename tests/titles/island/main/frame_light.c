/* P9 occlusion, P10 lighting, P11 sky, P12 water, P13 fireflies. */
#include "frame.h"

enum {
    HALF_WIDTH = SCREEN_WIDTH / 2,
    HALF_HEIGHT = SCREEN_HEIGHT / 2,
};

static void set_stencil_ref(int value)
{
    nvnCommandBufferSetStencilRef(&commands, NVN_FACE_FRONT_AND_BACK, value);
}

static void draw_lit(program_id program, depth_id depth)
{
    bind_setup(&commands,
        (draw_setup){ .program = program, .layout = LAYOUT_NONE, .depth = depth, .polygon = POLYGON_CULL_BACK,
            .blend = BLEND_OFF, .mask = MASK_ALL });
    nvnCommandBufferDrawArrays(&commands, NVN_DRAW_PRIMITIVE_TRIANGLES, 0, 3);
}

static void fragment_texture(int slot, texture_id texture, sampler_id sampler)
{
    bind_texture(NVN_SHADER_STAGE_FRAGMENT, slot, texture, sampler);
}

void pass_occlusion(const frame_context* frame)
{
    static const color_target target = { TEXTURE_AO, NULL };
    static const float one[4] = { 1.0f, 1.0f, 1.0f, 1.0f };
    (void)frame;
    group_begin("P9 occlusion");
    set_targets(&target, 1, TEXTURE_HALF_DEPTH, NULL, HALF_WIDTH, HALF_HEIGHT);
    nvnCommandBufferClearColor(&commands, 0, one, NVN_CLEAR_COLOR_MASK_RGBA);
    set_stencil_ref(0);
    bind_uniform(NVN_SHADER_STAGE_FRAGMENT, 2, push4(0.6, 1.6, 0.05, 0.0));
    fragment_texture(0, TEXTURE_DEPTH, SAMPLER_NEAREST);
    fragment_texture(1, TEXTURE_NORMAL, SAMPLER_NEAREST);
    draw_lit(PROGRAM_SSAO, DEPTH_OFF_WHERE_DIFFERENT);

    nvnCommandBufferBarrier(&commands, BARRIER_DRAWN);
    set_target(TEXTURE_AO_BLUR, NULL, HALF_WIDTH, HALF_HEIGHT);
    bind_uniform(
        NVN_SHADER_STAGE_FRAGMENT, 2, push4(1.0 / (double)HALF_WIDTH, 1.0 / (double)HALF_HEIGHT, 0.002, 0.0));
    fragment_texture(0, TEXTURE_AO, SAMPLER_LINEAR);
    fragment_texture(1, TEXTURE_DEPTH, SAMPLER_NEAREST);
    draw_fullscreen(PROGRAM_SSAO_BLUR, BLEND_OFF);
    nvnCommandBufferBarrier(&commands, BARRIER_DRAWN);
    group_end();
}

static void set_lit_targets(void)
{
    static const color_target target = { TEXTURE_HDR, NULL };
    set_targets(&target, 1, TEXTURE_DEPTH, NULL, SCREEN_WIDTH, SCREEN_HEIGHT);
}

void pass_lighting(const frame_context* frame)
{
    static const texture_id geometry[5] = { TEXTURE_ALBEDO, TEXTURE_NORMAL, TEXTURE_MATERIAL, TEXTURE_EMISSIVE,
        TEXTURE_DEPTH };
    const float* fog = frame->scene->frame_block.fog;
    const float clear[4] = { fog[0], fog[1], fog[2], 1.0f };
    group_begin("P10 lighting");
    set_lit_targets();
    nvnCommandBufferClearColor(&commands, 0, clear, NVN_CLEAR_COLOR_MASK_RGBA);
    set_stencil_ref(0);
    bind_uniform(NVN_SHADER_STAGE_FRAGMENT, 2, push(&frame->scene->shadow, sizeof(frame->scene->shadow)));
    bind_uniform(NVN_SHADER_STAGE_FRAGMENT, 5, frame->cluster);
    bind_storage(NVN_SHADER_STAGE_FRAGMENT, 0, frame->lights);
    bind_storage(NVN_SHADER_STAGE_FRAGMENT, 1, buffer_range(BUFFER_CLUSTER_LISTS));
    for (int slot = 0; slot < (int)COUNT_OF(geometry); slot++) {
        fragment_texture(slot, geometry[slot], SAMPLER_NEAREST);
    }
    fragment_texture(5, TEXTURE_AO_BLUR, SAMPLER_LINEAR);
    fragment_texture(6, TEXTURE_SHADOW, SAMPLER_COMPARE);
    draw_lit(PROGRAM_LIGHT, DEPTH_OFF_WHERE_DIFFERENT);
    group_end();
}

void pass_sky(const frame_context* frame)
{
    (void)frame;
    group_begin("P11 sky");
    set_lit_targets();
    set_stencil_ref(0);
    draw_lit(PROGRAM_SKY, DEPTH_LEQUAL_WHERE_EQUAL);
    group_end();
}

/* One square sheet of water around the origin, `size` metres wide. */
static void draw_water(double size, double y, const double param[4])
{
    static const double white[4] = { 1.0, 1.0, 1.0, 1.0 };
    const NVNbufferRange indices = asset_range(ASSET_WATER_INDICES);
    isl_mat4 model;
    isl_translate_scale(&model, (isl_vec3){ -size / 2.0, y, -size / 2.0 }, (isl_vec3){ size, 1.0, size });
    bind_uniform_both(1, push_object(&model, white, param));
    nvnCommandBufferDrawElements(&commands, NVN_DRAW_PRIMITIVE_TRIANGLES, NVN_INDEX_TYPE_UNSIGNED_SHORT,
        (int)(indices.size / sizeof(uint16_t)), indices.address);
}

/* Samples the depth that is attached: it is only tested, never written. */
void pass_water(const frame_context* frame)
{
    static const NVNcopyRegion whole = { 0, 0, 0, SCREEN_WIDTH, SCREEN_HEIGHT, 1 };
    static const double far_param[4] = { 0.0, 1.0 / 256.0, 0.0, 0.0 }, near_param[4] = { 0.6, 1.0 / 256.0, 8.0, 0.0 };
    const NVNbufferRange vertices = asset_range(ASSET_WATER_VERTICES);
    (void)frame;
    group_begin("P12 water");
    nvnCommandBufferCopyTextureToTexture(&commands, &textures[TEXTURE_HDR], NULL, &whole, &textures[TEXTURE_HDR_COPY],
        NULL, &whole, NVN_COPY_FLAGS_NONE);
    nvnCommandBufferBarrier(&commands, BARRIER_DRAWN);
    set_lit_targets();
    bind_setup(&commands,
        (draw_setup){ .program = PROGRAM_WATER, .layout = LAYOUT_WATER, .depth = DEPTH_LEQUAL,
            .polygon = POLYGON_CULL_NONE, .blend = BLEND_OFF, .mask = MASK_ALL });
    bind_texture(NVN_SHADER_STAGE_VERTEX, 0, TEXTURE_WAVE_A, SAMPLER_LINEAR);
    fragment_texture(0, TEXTURE_WAVE_A, SAMPLER_LINEAR);
    fragment_texture(1, TEXTURE_HDR_COPY, SAMPLER_LINEAR);
    fragment_texture(2, TEXTURE_DEPTH, SAMPLER_NEAREST);
    fragment_texture(3, TEXTURE_FOAM, SAMPLER_REPEAT);
    nvnCommandBufferBindVertexBuffer(&commands, 0, vertices.address, vertices.size);
    draw_water(800.0, -0.05, far_param);
    draw_water(160.0, 0.0, near_param);
    group_end();
}

void pass_fireflies(const frame_context* frame)
{
    enum { SPRITE_VERTICES = 6 };
    (void)frame;
    group_begin("P13 fireflies");
    set_lit_targets();
    bind_setup(&commands,
        (draw_setup){ .program = PROGRAM_FIREFLY, .layout = LAYOUT_NONE, .depth = DEPTH_LEQUAL,
            .polygon = POLYGON_CULL_BACK, .blend = BLEND_ADD, .mask = MASK_ALL });
    bind_storage(NVN_SHADER_STAGE_VERTEX, 0, buffer_range(BUFFER_PARTICLES));
    fragment_texture(0, TEXTURE_DEPTH, SAMPLER_NEAREST);
    nvnCommandBufferDrawArraysInstanced(
        &commands, NVN_DRAW_PRIMITIVE_TRIANGLES, 0, SPRITE_VERTICES, 0, PARTICLES);
    group_end();
}
