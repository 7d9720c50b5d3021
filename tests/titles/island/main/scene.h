/* The world of one frame as the GPU wants it: uniform blocks (std140) and the few numbers that choose draws. */
#ifndef ISLAND_SCENE_H
#define ISLAND_SCENE_H

#include "base.h"
#include "input.h"

enum {
    SCREEN_WIDTH = 1280,
    SCREEN_HEIGHT = 720,
    CASCADES = 4,
    SHADOW_SIZE = 1024,
    BONES = 64,
    CHARACTER_BONES = 12,
    WALK_KEYS = 32,
    ROCKS = 512,
    ROCK_INDICES = 960,
    LIGHTS = 48,
    PARTICLES = 256,
    MAX_SPLASHES = 2,
};

typedef struct frame_block {
    float view_proj[16];
    float view[16];
    float inverse_view_proj[16];
    float camera[4];
    float sun_direction[4];
    float sun_color[4];
    float screen[4];
    float player[4];
    float fog[4];
    float misc[4];
} frame_block;

typedef struct object_block {
    float model[16];
    float tint[4];
    float param[4];
} object_block;

typedef struct shadow_block {
    float to_shadow[CASCADES][16];
    float splits[4];
} shadow_block;

typedef struct cluster_block {
    float dims[4];
    float proj[4];
    int32_t count[4];
} cluster_block;

typedef struct cull_block {
    float plane[6][4];
    uint32_t count[4];
} cull_block;

typedef struct grass_block {
    float area[4];
    float wind[4];
} grass_block;

_Static_assert(sizeof(frame_block) == 304, "block Frame");
_Static_assert(sizeof(object_block) == 96, "block Object");
_Static_assert(sizeof(shadow_block) == 272, "block Shadow");
_Static_assert(sizeof(cluster_block) == 48, "block Cluster");
_Static_assert(sizeof(cull_block) == 112, "block Cull");

typedef struct scene {
    uint32_t frame;
    /* Seconds: frame / 60. */
    double time;
    frame_block frame_block;
    float bones[BONES][16];
    float cascades[CASCADES][16];
    shadow_block shadow;
    cluster_block cluster;
    cull_block cull;
    grass_block grass;
    /* Scroll of the interaction map since the last frame, u and v. */
    float scroll[2];
    float lantern[3];
    float splashes[MAX_SPLASHES][4];
    int splash_count;
    /* Bars of the head-up display, 0..1. */
    double life;
    double lamp;
} scene;

/* The world between frames. Starts zeroed. */
typedef struct world {
    bool moved;
    isl_vec3 player;
    double yaw;
    double walk_phase;
    isl_vec3 follow;
    double orbit;
    double lift;
    /* Seconds since the sun began to move. */
    double day;
} world;

/* Files that the simulation reads on the CPU. */
typedef struct scene_assets {
    const uint8_t* terrain;
    const float* skin;
} scene_assets;

void world_start(world* w);
/* Advances by 1/60 s and fills `out` for frame `frame`. */
void world_step(world* w, const scene_assets* assets, const input_state* input, uint32_t frame, scene* out);

/* Ground height in metres at x, z (metres); far below the sea outside the island. */
double terrain_height(const uint8_t* vertices, double x, double z);

/* What the light is like `seconds` after the sun began to move; 0 is dusk. */
typedef struct daylight {
    isl_vec3 direction;
    double intensity;
    double color[3];
    double ambient;
    double fog[3];
    /* Factor on the picture's exposure: night is dark for the sky as well. */
    double exposure;
} daylight;

void daylight_at(double seconds, daylight* out);

#endif
