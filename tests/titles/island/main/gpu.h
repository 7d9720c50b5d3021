/* The graphics device: pools of memory, the queue, the window. */
#ifndef ISLAND_GPU_H
#define ISLAND_GPU_H

#include "base.h"

#include <nvn.h>

enum {
    /* Frames whose commands and uniforms exist at the same time. */
    SLOTS = 2,
    WINDOW_TEXTURES = 2,
    GPU_PAGE = 0x1000,
};

/* Memory handed out in order; `address` is where the GPU sees offset 0. */
typedef struct gpu_pool {
    NVNmemoryPool pool;
    uint8_t* memory;
    size_t size;
    size_t used;
    NVNbufferAddress address;
} gpu_pool;

typedef struct gpu_state {
    NVNdevice device;
    NVNqueue queue;
    NVNwindow window;
    NVNdebugDomainId domain;
    int reserved_textures, reserved_samplers;
    /* Vertices, indices, texture data as loaded: CPU cached, flushed after loading. */
    gpu_pool assets;
    /* Written by the CPU every frame, one half per slot. */
    gpu_pool dynamic;
    /* Written and read by the GPU alone. */
    gpu_pool buffers;
    gpu_pool targets;
    gpu_pool textures;
    /* Small textures that the CPU writes texel by texel. */
    gpu_pool written_textures;
    gpu_pool code;
    gpu_pool scratch;
    gpu_pool descriptors;
    gpu_pool commands;
} gpu_state;

extern gpu_state gpu;

/* Fetches every function by name, starts the device and makes the queue and the pools. */
void gpu_start(void);
void gpu_make_window(void* native_window, NVNtexture* const* textures, int count);
void gpu_end(void);

/* Next free offset of the pool for `size` bytes. */
size_t gpu_allocate(gpu_pool* pool, size_t size, size_t alignment);

/* Looks up every NVN function, first without and then with the device; stops the title when one that it calls is
 * missing. */
void nvn_load_procs(const NVNdevice* device);

#endif
