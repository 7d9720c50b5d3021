/* Files of the RomFS, read by a thread of their own into memory that the GPU sees. */
#ifndef ISLAND_ASSETS_H
#define ISLAND_ASSETS_H

#include "base.h"

typedef enum asset_id {
    ASSET_SHADERS,
    ASSET_TERRAIN_VERTICES,
    ASSET_TERRAIN_INDICES,
    ASSET_ROCK_VERTICES,
    ASSET_ROCK_INDICES,
    ASSET_ROCK_INSTANCES,
    ASSET_GRASS_BLADE,
    ASSET_GRASS_ROOTS,
    ASSET_WATER_VERTICES,
    ASSET_WATER_INDICES,
    ASSET_CHARACTER_VERTICES,
    ASSET_CHARACTER_INDICES,
    ASSET_CHARACTER_SKIN,
    ASSET_LIGHTS,
    ASSET_TEXTURE_GRASS,
    ASSET_TEXTURE_SAND,
    ASSET_TEXTURE_ROCK,
    ASSET_TEXTURE_BODY,
    ASSET_TEXTURE_MASK,
    ASSET_TEXTURE_STONE,
    ASSET_TEXTURE_DECAL,
    ASSET_TEXTURE_FOAM,
    ASSET_TEXTURE_ATLAS,
    ASSET_COUNT,
} asset_id;

enum {
    ASSET_MEMORY_SIZE = 0x00400000,
};

/* Starts the loader; files go to `memory` (ASSET_MEMORY_SIZE bytes), each at a multiple of 256. */
void assets_start(uint8_t* memory);
/* Waits until the file is there. The bytes stay valid for the whole run. */
const uint8_t* assets_wait(asset_id id, size_t* size);
/* Offset of a loaded file from `memory`. */
size_t assets_offset(asset_id id);
/* Waits for the loader's end, gives its thread back and leaves the RomFS. */
void assets_finish(void);

#endif
