/* The programs of the frame, made from the shader archive. */
#ifndef ISLAND_SHADERS_H
#define ISLAND_SHADERS_H

#include "gpu.h"

/* X(id, vertex or compute shader, fragment shader or NULL). */
#define FOR_EACH_PROGRAM(X) \
    X(PROGRAM_PARTICLES, "cs_particles", NULL) \
    X(PROGRAM_CULL_RESET, "cs_cull_reset", NULL) \
    X(PROGRAM_CULL, "cs_cull", NULL) \
    X(PROGRAM_CLUSTERS, "cs_light_clusters", NULL) \
    X(PROGRAM_EXPOSURE, "cs_exposure", NULL) \
    X(PROGRAM_MAP_FADE, "vs_fullscreen", "fs_map_fade") \
    X(PROGRAM_MAP_PUSH, "vs_map_blob", "fs_map_push") \
    X(PROGRAM_WAVE_STEP, "vs_fullscreen", "fs_wave_step") \
    X(PROGRAM_WAVE_SPLASH, "vs_map_blob", "fs_wave_splash") \
    X(PROGRAM_TERRAIN_SHADOW, "vs_terrain_shadow", NULL) \
    X(PROGRAM_CHARACTER_SHADOW, "vs_character_shadow", NULL) \
    X(PROGRAM_TERRAIN_DEPTH, "vs_terrain_depth", NULL) \
    X(PROGRAM_ROCK_DEPTH, "vs_rock_depth", NULL) \
    X(PROGRAM_CHARACTER_DEPTH, "vs_character_depth", NULL) \
    X(PROGRAM_TERRAIN, "vs_terrain", "fs_gbuf_terrain") \
    X(PROGRAM_ROCK, "vs_rock", "fs_gbuf_rock") \
    X(PROGRAM_CHARACTER, "vs_character", "fs_gbuf_character") \
    X(PROGRAM_GRASS, "vs_grass", "fs_gbuf_grass") \
    X(PROGRAM_DECAL, "vs_decal_box", "fs_decal") \
    X(PROGRAM_SSAO, "vs_fullscreen", "fs_ssao") \
    X(PROGRAM_SSAO_BLUR, "vs_fullscreen", "fs_ssao_blur") \
    X(PROGRAM_LIGHT, "vs_fullscreen", "fs_light") \
    X(PROGRAM_SKY, "vs_fullscreen", "fs_sky") \
    X(PROGRAM_WATER, "vs_water", "fs_water") \
    X(PROGRAM_FIREFLY, "vs_particle", "fs_particle") \
    X(PROGRAM_BLOOM_PREFILTER, "vs_fullscreen", "fs_bloom_prefilter") \
    X(PROGRAM_BLOOM_DOWN, "vs_fullscreen", "fs_bloom_down") \
    X(PROGRAM_BLOOM_UP, "vs_fullscreen", "fs_bloom_up") \
    X(PROGRAM_LUT, "vs_lut_layers", "fs_lut_build") \
    X(PROGRAM_TONEMAP, "vs_fullscreen", "fs_tonemap") \
    X(PROGRAM_FXAA, "vs_fullscreen", "fs_fxaa") \
    X(PROGRAM_HUD_FLAT, "vs_hud", "fs_hud_flat") \
    X(PROGRAM_HUD_IMAGE, "vs_hud", "fs_hud_image") \
    X(PROGRAM_HUD_TEXT, "vs_hud", "fs_hud_text")

typedef enum program_id {
#define X(id, first, second) id,
    FOR_EACH_PROGRAM(X)
#undef X
        PROGRAM_COUNT,
} program_id;

void shaders_start(void);
void shaders_end(void);

/* Binds a graphics program; one without a fragment shader leaves the fragment stage empty. */
void bind_program(NVNcommandBuffer* commands, program_id id);
void bind_compute(NVNcommandBuffer* commands, program_id id);

#endif
