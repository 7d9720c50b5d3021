/* Every texture of the frame, its descriptor, the samplers, and the views that passes draw through. */
#ifndef ISLAND_TEXTURES_H
#define ISLAND_TEXTURES_H

#include "gpu.h"

enum {
    BLOOM_LEVELS = 5,
    LUT_SIZE = 32,
    MAP_TEXELS = 256,
    PANEL_WIDTH = 256,
    PANEL_HEIGHT = 128,
};

typedef enum texture_id {
    TEXTURE_ALBEDO,
    TEXTURE_NORMAL,
    TEXTURE_MATERIAL,
    TEXTURE_EMISSIVE,
    TEXTURE_DEPTH,
    TEXTURE_HALF_DEPTH,
    TEXTURE_AO,
    TEXTURE_AO_BLUR,
    TEXTURE_SHADOW,
    TEXTURE_HDR,
    TEXTURE_HDR_COPY,
    TEXTURE_BLOOM,
    TEXTURE_LUT,
    TEXTURE_LDR,
    TEXTURE_WINDOW_0,
    TEXTURE_WINDOW_1,
    TEXTURE_MAP_0,
    TEXTURE_MAP_1,
    TEXTURE_WAVE_A,
    TEXTURE_WAVE_B,
    TEXTURE_PANEL,
    TEXTURE_GRASS,
    TEXTURE_SAND,
    TEXTURE_ROCK,
    TEXTURE_BODY,
    TEXTURE_MASK,
    TEXTURE_STONE,
    TEXTURE_DECAL,
    TEXTURE_FOAM,
    TEXTURE_ATLAS,
    TEXTURE_COUNT,
} texture_id;

typedef enum sampler_id {
    SAMPLER_LINEAR,
    SAMPLER_REPEAT,
    SAMPLER_NEAREST,
    SAMPLER_COMPARE,
    SAMPLER_COUNT,
} sampler_id;

typedef struct texture_views {
    NVNtextureView shadow_layer[4];
    NVNtextureView bloom_level[BLOOM_LEVELS];
    NVNtextureView lut_layers;
    NVNtextureView ldr_srgb;
} texture_views;

extern NVNtexture textures[TEXTURE_COUNT];
extern texture_views views;
extern NVNtexturePool texture_pool;
extern NVNsamplerPool sampler_pool;

/* Makes every texture, sampler, descriptor and view. Contents come later. */
void textures_start(void);
/* CPU writes: the atlas and the foam. */
void textures_write(void);
/* Records the copies of all other textures from the loaded files, and the first state of the interaction maps. */
void textures_record_upload(NVNcommandBuffer* commands);
NVNtextureHandle texture_handle(texture_id texture, sampler_id sampler);
void textures_end(void);

#endif
