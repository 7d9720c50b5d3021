/* What the host keeps behind the opaque objects of NVN. */
#ifndef HARNESS_NVN_HOST_H
#define HARNESS_NVN_HOST_H

#include "harness.h"

#include <nvn.h>

enum {
    MAX_POOLS = 32,
    MAX_TEXTURES = 256,
    MAX_DESCRIPTORS = 1024,
    STAGES = 6,
    UNIFORM_SLOTS = 14,
    TEXTURE_SLOTS = 32,
    STORAGE_SLOTS = 16,
    STREAMS = 16,
    COLORS = 8,
};

typedef struct host_pool {
    uint8_t* memory;
    size_t size;
    int flags;
    uint64_t address;
    const char* label;
    bool alive;
} host_pool;

typedef struct host_texture {
    int format, target, flags, levels;
    int width, height, depth;
    size_t size;
    const char* label;
    bool alive;
    /* Written by draws, clears or copies since the last barrier that orders texture reads. */
    bool dirty;
} host_texture;

/* Bits of slots that a shader reads. */
typedef struct host_shader {
    const char* name;
    int stage;
    uint32_t uniforms, textures, storages;
    const uint8_t* code;
    size_t code_size;
} host_shader;

extern host_pool host_pools[MAX_POOLS];
extern host_texture host_textures[MAX_TEXTURES];

/* Pool that holds [address, address + size), with the offset in it; refuses when there is none. */
host_pool* host_pool_of(uint64_t address, size_t size, const char* call);
host_pool* host_pool_of_object(const NVNmemoryPool* pool, const char* call);
host_texture* host_texture_of(const NVNtexture* texture, const char* call);
/* Texture behind a handle of the bound pools. */
host_texture* host_texture_of_handle(uint64_t handle, const char* call);
/* Shaders of a program by stage, NULL where it has none. */
const host_shader* host_program_stage(const NVNprogram* program, int stage);
const char* host_program_label(const NVNprogram* program);
/* "pool+0xOFFSET" in one of a few static buffers. */
const char* host_place(uint64_t address);

/* Bytes of a texture with block-linear levels. */
size_t host_texture_size(const host_texture* texture);
int host_texel_size(int format);

bool host_fault(const char* name);

#endif
