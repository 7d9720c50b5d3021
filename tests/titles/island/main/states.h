/* Fixed-function states and vertex layouts, made once and bound by name. */
#ifndef ISLAND_STATES_H
#define ISLAND_STATES_H

#include "shaders.h"

typedef enum depth_id {
    /* No depth test, no stencil. */
    DEPTH_OFF,
    /* LESS, writes. */
    DEPTH_LESS,
    /* LESS, writes; the stencil takes the reference where the fragment passes. */
    DEPTH_LESS_MARK,
    /* EQUAL, no writes. */
    DEPTH_EQUAL,
    /* LEQUAL, no writes. */
    DEPTH_LEQUAL,
    /* No depth test; only where the stencil equals the reference. */
    DEPTH_OFF_WHERE_EQUAL,
    DEPTH_OFF_WHERE_DIFFERENT,
    /* LEQUAL, no writes, only where the stencil equals the reference. */
    DEPTH_LEQUAL_WHERE_EQUAL,
    DEPTH_COUNT,
} depth_id;

typedef enum polygon_id {
    POLYGON_CULL_BACK,
    POLYGON_CULL_NONE,
    /* Cull back, with the polygon offset on. */
    POLYGON_OFFSET,
    POLYGON_COUNT,
} polygon_id;

typedef enum blend_id {
    BLEND_OFF,
    BLEND_ALPHA,
    BLEND_ADD,
    BLEND_PREMULTIPLIED,
    /* Alpha on targets 0 and 2. */
    BLEND_DECAL,
    BLEND_COUNT,
} blend_id;

typedef enum mask_id {
    MASK_ALL,
    MASK_RG,
    /* RGB of targets 0 and 2, nothing of 1 and 3. */
    MASK_DECAL,
    MASK_COUNT,
} mask_id;

typedef enum layout_id {
    LAYOUT_NONE,
    LAYOUT_TERRAIN,
    LAYOUT_TERRAIN_POSITION,
    LAYOUT_CHARACTER,
    LAYOUT_CHARACTER_POSITION,
    LAYOUT_ROCK,
    LAYOUT_ROCK_POSITION,
    LAYOUT_GRASS,
    LAYOUT_WATER,
    LAYOUT_HUD,
    LAYOUT_COUNT,
} layout_id;

typedef struct draw_setup {
    program_id program;
    layout_id layout;
    depth_id depth;
    polygon_id polygon;
    blend_id blend;
    mask_id mask;
} draw_setup;

void states_start(void);
void bind_setup(NVNcommandBuffer* commands, draw_setup setup);

#endif
