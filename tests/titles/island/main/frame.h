/* The passes of one frame, in the order in which they are recorded. */
#ifndef ISLAND_FRAME_H
#define ISLAND_FRAME_H

#include "commands.h"
#include "scene.h"

/* What several passes of one frame share. */
typedef struct frame_context {
    const scene* scene;
    texture_id window;
    NVNbufferRange lights;
    uniform bones;
    uniform cluster;
    /* Object blocks: the terrain's, and one for whatever has neither place nor parameter. */
    uniform terrain, plain;
    /* Interaction map that this frame finished; the other one takes the next. */
    texture_id map;
} frame_context;

/* frame_compute.c */
void pass_particles(const frame_context* frame);
void pass_cull(const frame_context* frame);
void pass_clusters(const frame_context* frame);
void pass_exposure(const frame_context* frame);
/* frame_maps.c */
void pass_interaction(frame_context* frame);
void pass_waves(const frame_context* frame);
/* frame_geometry.c */
void pass_shadows(const frame_context* frame);
void pass_depth(const frame_context* frame);
void pass_geometry(const frame_context* frame);
void pass_half_depth(const frame_context* frame);
/* frame_light.c */
void pass_occlusion(const frame_context* frame);
void pass_lighting(const frame_context* frame);
void pass_sky(const frame_context* frame);
void pass_water(const frame_context* frame);
void pass_fireflies(const frame_context* frame);
/* frame_post.c */
void pass_bloom(const frame_context* frame);
void pass_grading(const frame_context* frame);
void pass_tonemap(const frame_context* frame);
void pass_antialias(const frame_context* frame);
/* hud.c */
void pass_hud(const frame_context* frame);

/* Pushes a block Object. */
uniform push_object(const isl_mat4* model, const double tint[4], const double param[4]);

#endif
