#include "textures.h"

#include "assets.h"
#include "scene.h"

typedef struct description {
    const char* label;
    NVNformat format;
    int width, height, depth;
    int levels;
    NVNtextureTarget target;
    int flags;
    gpu_pool* pool;
    /* File with the texels, or ASSET_COUNT. */
    asset_id file;
} description;

#define TARGET(text, format, width, height) \
    { text, format, width, height, 1, 1, NVN_TEXTURE_TARGET_2D, NVN_TEXTURE_FLAGS_COMPRESSIBLE, &gpu.targets, ASSET_COUNT }
#define WINDOW(text) \
    { text, NVN_FORMAT_RGBA8_SRGB, SCREEN_WIDTH, SCREEN_HEIGHT, 1, 1, NVN_TEXTURE_TARGET_2D, \
        NVN_TEXTURE_FLAGS_DISPLAY | NVN_TEXTURE_FLAGS_COMPRESSIBLE, &gpu.targets, ASSET_COUNT }
#define LOADED(text, format, size, levels, file) \
    { text, format, size, size, 1, levels, NVN_TEXTURE_TARGET_2D, 0, &gpu.textures, file }

static const description descriptions[TEXTURE_COUNT] = {
    [TEXTURE_ALBEDO] = TARGET("gAlbedo", NVN_FORMAT_RGBA8_SRGB, SCREEN_WIDTH, SCREEN_HEIGHT),
    [TEXTURE_NORMAL] = TARGET("gNormal", NVN_FORMAT_RGB10A2, SCREEN_WIDTH, SCREEN_HEIGHT),
    [TEXTURE_MATERIAL] = TARGET("gMaterial", NVN_FORMAT_RGBA8, SCREEN_WIDTH, SCREEN_HEIGHT),
    [TEXTURE_EMISSIVE] = TARGET("gEmissive", NVN_FORMAT_R11G11B10F, SCREEN_WIDTH, SCREEN_HEIGHT),
    [TEXTURE_DEPTH] = TARGET("depth", NVN_FORMAT_DEPTH24_STENCIL8, SCREEN_WIDTH, SCREEN_HEIGHT),
    [TEXTURE_HALF_DEPTH] = TARGET("halfDepth", NVN_FORMAT_DEPTH24_STENCIL8, SCREEN_WIDTH / 2, SCREEN_HEIGHT / 2),
    [TEXTURE_AO] = TARGET("ao", NVN_FORMAT_R8, SCREEN_WIDTH / 2, SCREEN_HEIGHT / 2),
    [TEXTURE_AO_BLUR] = TARGET("aoBlur", NVN_FORMAT_R8, SCREEN_WIDTH / 2, SCREEN_HEIGHT / 2),
    [TEXTURE_SHADOW] = { "shadow", NVN_FORMAT_DEPTH32F, SHADOW_SIZE, SHADOW_SIZE, CASCADES, 1,
        NVN_TEXTURE_TARGET_2D_ARRAY, NVN_TEXTURE_FLAGS_COMPRESSIBLE, &gpu.targets, ASSET_COUNT },
    [TEXTURE_HDR] = TARGET("hdr", NVN_FORMAT_R11G11B10F, SCREEN_WIDTH, SCREEN_HEIGHT),
    [TEXTURE_HDR_COPY] = TARGET("hdrCopy", NVN_FORMAT_R11G11B10F, SCREEN_WIDTH, SCREEN_HEIGHT),
    [TEXTURE_BLOOM] = { "bloom", NVN_FORMAT_R11G11B10F, SCREEN_WIDTH / 2, SCREEN_HEIGHT / 2, 1, BLOOM_LEVELS,
        NVN_TEXTURE_TARGET_2D, NVN_TEXTURE_FLAGS_COMPRESSIBLE, &gpu.targets, ASSET_COUNT },
    [TEXTURE_LUT] = { "lut", NVN_FORMAT_RGBA8, LUT_SIZE, LUT_SIZE, LUT_SIZE, 1, NVN_TEXTURE_TARGET_3D,
        NVN_TEXTURE_FLAGS_COMPRESSIBLE, &gpu.targets, ASSET_COUNT },
    [TEXTURE_LDR] = TARGET("ldr", NVN_FORMAT_RGBA8, SCREEN_WIDTH, SCREEN_HEIGHT),
    [TEXTURE_WINDOW_0] = WINDOW("window 0"),
    [TEXTURE_WINDOW_1] = WINDOW("window 1"),
    [TEXTURE_MAP_0] = TARGET("interaction map 0", NVN_FORMAT_RG8, MAP_TEXELS, MAP_TEXELS),
    [TEXTURE_MAP_1] = TARGET("interaction map 1", NVN_FORMAT_RG8, MAP_TEXELS, MAP_TEXELS),
    [TEXTURE_WAVE_A] = TARGET("waveA", NVN_FORMAT_RG16F, MAP_TEXELS, MAP_TEXELS),
    [TEXTURE_WAVE_B] = TARGET("waveB", NVN_FORMAT_RG16F, MAP_TEXELS, MAP_TEXELS),
    [TEXTURE_PANEL] = TARGET("panel", NVN_FORMAT_RGBA8, PANEL_WIDTH, PANEL_HEIGHT),
    [TEXTURE_GRASS] = LOADED("tGrass", NVN_FORMAT_RGBA8_SRGB, 256, 9, ASSET_TEXTURE_GRASS),
    [TEXTURE_SAND] = LOADED("tSand", NVN_FORMAT_RGBA8_SRGB, 256, 9, ASSET_TEXTURE_SAND),
    [TEXTURE_ROCK] = LOADED("tRock", NVN_FORMAT_RGBA8_SRGB, 256, 9, ASSET_TEXTURE_ROCK),
    [TEXTURE_BODY] = LOADED("tBody", NVN_FORMAT_RGBA8_SRGB, 128, 8, ASSET_TEXTURE_BODY),
    [TEXTURE_MASK] = LOADED("tMask", NVN_FORMAT_RGBA8, 128, 8, ASSET_TEXTURE_MASK),
    [TEXTURE_STONE] = LOADED("tStone", NVN_FORMAT_RGBA8_SRGB, 128, 8, ASSET_TEXTURE_STONE),
    [TEXTURE_DECAL] = LOADED("tDecal", NVN_FORMAT_RGBA8_SRGB, 128, 1, ASSET_TEXTURE_DECAL),
    [TEXTURE_FOAM] = { "tFoam", NVN_FORMAT_R8, 128, 128, 1, 1, NVN_TEXTURE_TARGET_2D, 0, &gpu.written_textures,
        ASSET_TEXTURE_FOAM },
    [TEXTURE_ATLAS] = { "atlas", NVN_FORMAT_R8, 128, 64, 1, 1, NVN_TEXTURE_TARGET_2D, 0, &gpu.written_textures,
        ASSET_TEXTURE_ATLAS },
};

NVNtexture textures[TEXTURE_COUNT];
texture_views views;
NVNtexturePool texture_pool;
NVNsamplerPool sampler_pool;
static NVNsampler samplers[SAMPLER_COUNT];

static void make_texture(texture_id id)
{
    const description* d = &descriptions[id];
    NVNtextureBuilder builder;
    nvnTextureBuilderSetDevice(&builder, &gpu.device);
    nvnTextureBuilderSetDefaults(&builder);
    nvnTextureBuilderSetTarget(&builder, d->target);
    nvnTextureBuilderSetFlags(&builder, d->flags);
    nvnTextureBuilderSetFormat(&builder, d->format);
    nvnTextureBuilderSetLevels(&builder, d->levels);
    if (d->depth > 1) {
        nvnTextureBuilderSetSize3D(&builder, d->width, d->height, d->depth);
    } else {
        nvnTextureBuilderSetSize2D(&builder, d->width, d->height);
    }
    if (id == TEXTURE_ATLAS) {
        /* A glyph is white, its shape in alpha. */
        nvnTextureBuilderSetSwizzle(&builder, NVN_TEXTURE_SWIZZLE_ONE, NVN_TEXTURE_SWIZZLE_ONE,
            NVN_TEXTURE_SWIZZLE_ONE, NVN_TEXTURE_SWIZZLE_R);
    }
    const size_t size = nvnTextureBuilderGetStorageSize(&builder);
    const size_t alignment = nvnTextureBuilderGetStorageAlignment(&builder);
    CHECK(size != 0 && alignment != 0);
    nvnTextureBuilderSetStorage(&builder, &d->pool->pool, (ptrdiff_t)gpu_allocate(d->pool, size, alignment));
    CHECK(nvnTextureInitialize(&textures[id], &builder));
    nvnTextureSetDebugLabel(&textures[id], d->label);
    nvnTexturePoolRegisterTexture(&texture_pool, gpu.reserved_textures + (int)id, &textures[id], NULL);
}

static void make_sampler(sampler_id id, NVNminFilter min, NVNmagFilter mag, NVNwrapMode wrap)
{
    NVNsamplerBuilder builder;
    nvnSamplerBuilderSetDefaults(&builder);
    nvnSamplerBuilderSetDevice(&builder, &gpu.device);
    nvnSamplerBuilderSetMinMagFilter(&builder, min, mag);
    nvnSamplerBuilderSetWrapMode(&builder, wrap, wrap, wrap);
    if (id == SAMPLER_COMPARE) {
        nvnSamplerBuilderSetCompare(&builder, NVN_COMPARE_MODE_COMPARE_R_TO_TEXTURE, NVN_COMPARE_FUNC_LEQUAL);
    }
    CHECK(nvnSamplerInitialize(&samplers[id], &builder));
    nvnSamplerPoolRegisterSampler(&sampler_pool, gpu.reserved_samplers + (int)id, &samplers[id]);
}

static void make_views(void)
{
    for (int layer = 0; layer < CASCADES; layer++) {
        nvnTextureViewSetDefaults(&views.shadow_layer[layer]);
        nvnTextureViewSetLayers(&views.shadow_layer[layer], layer, 1);
    }
    for (int level = 0; level < BLOOM_LEVELS; level++) {
        nvnTextureViewSetDefaults(&views.bloom_level[level]);
        nvnTextureViewSetLevels(&views.bloom_level[level], level, 1);
    }
    nvnTextureViewSetDefaults(&views.lut_layers);
    nvnTextureViewSetLayers(&views.lut_layers, 0, LUT_SIZE);
    nvnTextureViewSetDefaults(&views.ldr_srgb);
    nvnTextureViewSetFormat(&views.ldr_srgb, NVN_FORMAT_RGBA8_SRGB);
}

void textures_start(void)
{
    enum { DESCRIPTOR_SIZE = 32 };
    const int texture_count = gpu.reserved_textures + TEXTURE_COUNT;
    const int sampler_count = gpu.reserved_samplers + SAMPLER_COUNT;
    const size_t texture_offset =
        gpu_allocate(&gpu.descriptors, (size_t)texture_count * DESCRIPTOR_SIZE, DESCRIPTOR_SIZE);
    const size_t sampler_offset =
        gpu_allocate(&gpu.descriptors, (size_t)sampler_count * DESCRIPTOR_SIZE, DESCRIPTOR_SIZE);
    CHECK(nvnTexturePoolInitialize(&texture_pool, &gpu.descriptors.pool, (ptrdiff_t)texture_offset, texture_count));
    CHECK(nvnSamplerPoolInitialize(&sampler_pool, &gpu.descriptors.pool, (ptrdiff_t)sampler_offset, sampler_count));
    for (int id = 0; id < TEXTURE_COUNT; id++) {
        make_texture((texture_id)id);
    }
    make_sampler(SAMPLER_LINEAR, NVN_MIN_FILTER_LINEAR_MIPMAP_LINEAR, NVN_MAG_FILTER_LINEAR, NVN_WRAP_MODE_CLAMP_TO_EDGE);
    make_sampler(SAMPLER_REPEAT, NVN_MIN_FILTER_LINEAR_MIPMAP_LINEAR, NVN_MAG_FILTER_LINEAR, NVN_WRAP_MODE_REPEAT);
    make_sampler(
        SAMPLER_NEAREST, NVN_MIN_FILTER_NEAREST_MIPMAP_NEAREST, NVN_MAG_FILTER_NEAREST, NVN_WRAP_MODE_CLAMP_TO_EDGE);
    make_sampler(SAMPLER_COMPARE, NVN_MIN_FILTER_LINEAR, NVN_MAG_FILTER_LINEAR, NVN_WRAP_MODE_CLAMP_TO_EDGE);
    make_views();
}

static void write_texels(texture_id id)
{
    const description* d = &descriptions[id];
    const NVNcopyRegion region = { 0, 0, 0, d->width, d->height, 1 };
    nvnTextureWriteTexels(&textures[id], NULL, &region, assets_wait(d->file, NULL));
    nvnTextureFlushTexels(&textures[id], NULL, &region);
}

void textures_write(void)
{
    write_texels(TEXTURE_FOAM);
    write_texels(TEXTURE_ATLAS);
}

static void record_levels(NVNcommandBuffer* commands, texture_id id)
{
    enum { TEXEL_SIZE = 4 };
    const description* d = &descriptions[id];
    size_t size = 0, offset = 0;
    assets_wait(d->file, &size);
    for (int level = 0; level < d->levels; level++) {
        NVNtextureView view;
        const NVNcopyRegion region = { 0, 0, 0, d->width >> level, d->height >> level, 1 };
        nvnTextureViewSetDefaults(&view);
        nvnTextureViewSetLevels(&view, level, 1);
        nvnCommandBufferCopyBufferToTexture(commands, gpu.assets.address + assets_offset(d->file) + offset,
            &textures[id], &view, &region, NVN_COPY_FLAGS_NONE);
        offset += (size_t)(region.width * region.height) * TEXEL_SIZE;
    }
    CHECK(offset == size);
}

void textures_record_upload(NVNcommandBuffer* commands)
{
    /* Neutral: a zero would mean grass pushed flat. The wave textures start as the zeros of fresh memory. */
    const float neutral[4] = { 128.0f / 255.0f, 128.0f / 255.0f, 0.0f, 0.0f };
    const NVNcopyRegion whole = { 0, 0, 0, MAP_TEXELS, MAP_TEXELS, 1 };
    for (int id = TEXTURE_GRASS; id <= TEXTURE_DECAL; id++) {
        record_levels(commands, (texture_id)id);
    }
    for (int id = TEXTURE_MAP_0; id <= TEXTURE_MAP_1; id++) {
        nvnCommandBufferClearTexture(commands, &textures[id], NULL, &whole, neutral, NVN_CLEAR_COLOR_MASK_RGBA);
    }
}

NVNtextureHandle texture_handle(texture_id texture, sampler_id sampler)
{
    return nvnDeviceGetTextureHandle(
        &gpu.device, gpu.reserved_textures + (int)texture, gpu.reserved_samplers + (int)sampler);
}

void textures_end(void)
{
    for (int id = 0; id < TEXTURE_COUNT; id++) {
        nvnTextureFinalize(&textures[id]);
    }
    for (int id = 0; id < SAMPLER_COUNT; id++) {
        nvnSamplerFinalize(&samplers[id]);
    }
    nvnTexturePoolFinalize(&texture_pool);
    nvnSamplerPoolFinalize(&sampler_pool);
}
