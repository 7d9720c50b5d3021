/* P3 interaction map, P4 waves. */
#include "frame.h"

static const NVNcopyRegion whole_map = { 0, 0, 0, MAP_TEXELS, MAP_TEXELS, 1 };

static void draw_blob(program_id program, blend_id blend, const double param[4])
{
    static const double white[4] = { 1.0, 1.0, 1.0, 1.0 };
    isl_mat4 identity;
    isl_identity(&identity);
    bind_setup(&commands,
        (draw_setup){ .program = program, .layout = LAYOUT_NONE, .depth = DEPTH_OFF, .polygon = POLYGON_CULL_BACK,
            .blend = blend, .mask = MASK_RG });
    bind_uniform_both(1, push_object(&identity, white, param));
    nvnCommandBufferDrawArrays(&commands, NVN_DRAW_PRIMITIVE_TRIANGLE_STRIP, 0, 4);
}

void pass_interaction(frame_context* frame)
{
    static const double push_param[4] = { 0.5, 0.5, 0.04, 0.8 };
    const texture_id from = frame->map;
    const texture_id to = from == TEXTURE_MAP_0 ? TEXTURE_MAP_1 : TEXTURE_MAP_0;
    group_begin("P3 interaction");
    set_target(to, NULL, MAP_TEXELS, MAP_TEXELS);
    bind_uniform(
        NVN_SHADER_STAGE_FRAGMENT, 2, push4((double)frame->scene->scroll[0], (double)frame->scene->scroll[1], 0.03, 0.0));
    bind_texture(NVN_SHADER_STAGE_FRAGMENT, 0, from, SAMPLER_LINEAR);
    draw_fullscreen(PROGRAM_MAP_FADE, BLEND_OFF);
    draw_blob(PROGRAM_MAP_PUSH, BLEND_ALPHA, push_param);
    nvnCommandBufferBarrier(&commands, BARRIER_DRAWN);
    group_end();
    frame->map = to;
}

void pass_waves(const frame_context* frame)
{
    group_begin("P4 waves");
    set_target(TEXTURE_WAVE_B, NULL, MAP_TEXELS, MAP_TEXELS);
    bind_uniform(NVN_SHADER_STAGE_FRAGMENT, 2, push4(0.45, 0.985, 1.0 / (double)MAP_TEXELS, 0.0));
    bind_texture(NVN_SHADER_STAGE_FRAGMENT, 0, TEXTURE_WAVE_A, SAMPLER_REPEAT);
    draw_fullscreen(PROGRAM_WAVE_STEP, BLEND_OFF);
    for (int i = 0; i < frame->scene->splash_count; i++) {
        const float* s = frame->scene->splashes[i];
        const double param[4] = { (double)s[0], (double)s[1], (double)s[2], (double)s[3] };
        draw_blob(PROGRAM_WAVE_SPLASH, BLEND_ADD, param);
    }
    nvnCommandBufferCopyTextureToTexture(&commands, &textures[TEXTURE_WAVE_B], NULL, &whole_map,
        &textures[TEXTURE_WAVE_A], NULL, &whole_map, NVN_COPY_FLAGS_NONE);
    nvnCommandBufferBarrier(&commands, BARRIER_DRAWN);
    group_end();
}
