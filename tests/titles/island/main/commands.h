/* Recording: command memory and dynamic memory of one of the frames in flight, and short forms of what every pass does. */
#ifndef ISLAND_COMMANDS_H
#define ISLAND_COMMANDS_H

#include "buffers.h"
#include "gpu.h"
#include "states.h"
#include "textures.h"

/* What was drawn, for whoever samples it. */
#define BARRIER_DRAWN (NVN_BARRIER_ORDER_FRAGMENTS_BIT | NVN_BARRIER_INVALIDATE_TEXTURE_BIT)
/* What was computed, for shaders, vertex fetch and indirect arguments. */
#define BARRIER_COMPUTED \
    (NVN_BARRIER_ORDER_PRIMITIVES_BIT | NVN_BARRIER_ORDER_INDIRECT_DATA_BIT | NVN_BARRIER_INVALIDATE_SHADER_BIT)

/* A block in dynamic memory; the size is the bound one. */
typedef struct uniform {
    NVNbufferAddress address;
    size_t size;
} uniform;

typedef struct color_target {
    texture_id texture;
    /* NULL draws to the whole texture. */
    const NVNtextureView* view;
} color_target;

extern NVNcommandBuffer commands;

void commands_start(void);
void commands_end(void);

/* Waits until the slot's last frame is done, then starts recording into its memory. */
void recording_begin(uint32_t frame);
/* Ends the recording and hands it to the queue, with a fence for the slot. */
void recording_submit(void);

void group_begin(const char* label);
void group_end(void);

/* Copies to dynamic memory, at a multiple of 256. */
uniform push(const void* data, size_t size);
uniform push4(double a, double b, double c, double d);
/* Room for `size` bytes that the caller fills. */
void* push_room(size_t size, NVNbufferAddress* address);

void bind_uniform(NVNshaderStage stage, int slot, uniform block);
/* Vertex and fragment stage. */
void bind_uniform_both(int slot, uniform block);
void bind_storage(NVNshaderStage stage, int slot, NVNbufferRange range);
void bind_texture(NVNshaderStage stage, int slot, texture_id texture, sampler_id sampler);

/* Sets targets with viewport and scissor of that size. `depth` may be TEXTURE_COUNT for none. */
void set_targets(const color_target* colors, int count, texture_id depth, const NVNtextureView* depth_view, int width,
    int height);
void set_target(texture_id color, const NVNtextureView* view, int width, int height);

/* The triangle that covers the target. */
void draw_fullscreen(program_id program, blend_id blend);

#endif
