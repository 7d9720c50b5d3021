/* P14 bloom, P16 grading table, P17 tone map, P18 antialiasing. */
#include "frame.h"

enum {
    BLOOM_WIDTH = SCREEN_WIDTH / 2,
    BLOOM_HEIGHT = SCREEN_HEIGHT / 2,
    GRADING_PERIOD = 60,
};

/* Draws level `to` of the bloom chain; `level` is the one that is read, which sets the texel size. */
static void bloom_step(program_id program, blend_id blend, int to, int level, double weight)
{
    nvnCommandBufferBarrier(&commands, BARRIER_DRAWN);
    set_target(TEXTURE_BLOOM, &views.bloom_level[to], BLOOM_WIDTH >> to, BLOOM_HEIGHT >> to);
    const double width = (double)(BLOOM_WIDTH >> level), height = (double)(BLOOM_HEIGHT >> level);
    bind_uniform(NVN_SHADER_STAGE_FRAGMENT, 2, push4(1.0 / width, 1.0 / height, (double)level, weight));
    bind_texture(NVN_SHADER_STAGE_FRAGMENT, 0, TEXTURE_BLOOM, SAMPLER_LINEAR);
    draw_fullscreen(program, blend);
}

void pass_bloom(const frame_context* frame)
{
    (void)frame;
    group_begin("P14 bloom");
    nvnCommandBufferBarrier(&commands, BARRIER_DRAWN);
    set_target(TEXTURE_BLOOM, &views.bloom_level[0], BLOOM_WIDTH, BLOOM_HEIGHT);
    bind_uniform(
        NVN_SHADER_STAGE_FRAGMENT, 2, push4(1.0 / (double)SCREEN_WIDTH, 1.0 / (double)SCREEN_HEIGHT, 2.2, 1.5));
    bind_texture(NVN_SHADER_STAGE_FRAGMENT, 0, TEXTURE_HDR, SAMPLER_LINEAR);
    draw_fullscreen(PROGRAM_BLOOM_PREFILTER, BLEND_OFF);
    for (int level = 0; level + 1 < BLOOM_LEVELS; level++) {
        bloom_step(PROGRAM_BLOOM_DOWN, BLEND_OFF, level + 1, level, 1.0);
    }
    for (int level = BLOOM_LEVELS - 2; level >= 0; level--) {
        bloom_step(PROGRAM_BLOOM_UP, BLEND_ADD, level, level + 1, 0.7);
    }
    group_end();
}

void pass_grading(const frame_context* frame)
{
    static const float grade[4][4] = {
        { 0.01f, 0.0f, 0.02f, 0.0f },
        { 0.95f, 1.0f, 1.05f, 0.0f },
        { 1.05f, 1.0f, 0.95f, 0.0f },
        { 1.1f, 0.2f, 0.0f, 0.0f },
    };
    if (frame->scene->frame % GRADING_PERIOD != 0) {
        return;
    }
    group_begin("P16 grading table");
    set_target(TEXTURE_LUT, &views.lut_layers, LUT_SIZE, LUT_SIZE);
    bind_setup(&commands,
        (draw_setup){ .program = PROGRAM_LUT, .layout = LAYOUT_NONE, .depth = DEPTH_OFF, .polygon = POLYGON_CULL_BACK,
            .blend = BLEND_OFF, .mask = MASK_ALL });
    bind_uniform(NVN_SHADER_STAGE_FRAGMENT, 2, push(grade, sizeof(grade)));
    nvnCommandBufferDrawArraysInstanced(&commands, NVN_DRAW_PRIMITIVE_TRIANGLES, 0, 3, 0, LUT_SIZE);
    group_end();
}

void pass_tonemap(const frame_context* frame)
{
    (void)frame;
    group_begin("P17 tone map");
    nvnCommandBufferBarrier(&commands, BARRIER_DRAWN);
    set_target(TEXTURE_LDR, &views.ldr_srgb, SCREEN_WIDTH, SCREEN_HEIGHT);
    bind_storage(NVN_SHADER_STAGE_FRAGMENT, 0, buffer_range(BUFFER_EXPOSURE));
    bind_texture(NVN_SHADER_STAGE_FRAGMENT, 0, TEXTURE_HDR, SAMPLER_LINEAR);
    bind_texture(NVN_SHADER_STAGE_FRAGMENT, 1, TEXTURE_BLOOM, SAMPLER_LINEAR);
    bind_texture(NVN_SHADER_STAGE_FRAGMENT, 2, TEXTURE_LUT, SAMPLER_LINEAR);
    draw_fullscreen(PROGRAM_TONEMAP, BLEND_OFF);
    group_end();
}

void pass_antialias(const frame_context* frame)
{
    group_begin("P18 antialias");
    nvnCommandBufferBarrier(&commands, BARRIER_DRAWN);
    set_target(frame->window, NULL, SCREEN_WIDTH, SCREEN_HEIGHT);
    bind_texture(NVN_SHADER_STAGE_FRAGMENT, 0, TEXTURE_LDR, SAMPLER_LINEAR);
    draw_fullscreen(PROGRAM_FXAA, BLEND_OFF);
    group_end();
}
