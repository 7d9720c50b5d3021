/* Buffers that live as long as the title. */
#ifndef ISLAND_BUFFERS_H
#define ISLAND_BUFFERS_H

#include "assets.h"
#include "gpu.h"

typedef enum buffer_id {
    BUFFER_PARTICLES,
    BUFFER_VISIBLE_ROCKS,
    BUFFER_ROCK_RECORD,
    BUFFER_CLUSTER_LISTS,
    BUFFER_EXPOSURE,
    /* Block Layout, updated in the command stream. */
    BUFFER_LAYOUT,
    /* u8 indices of the quads of the head-up display. */
    BUFFER_HUD_INDICES,
    BUFFER_COUNT,
} buffer_id;

enum {
    HUD_QUADS_PER_DRAW = 42,
};

/* A range as the GPU sees it. */
NVNbufferRange buffer_range(buffer_id id);
NVNbufferRange asset_range(asset_id id);

void buffers_start(void);
/* Records the zeros that the GPU's buffers start with. */
void buffers_record_clear(NVNcommandBuffer* commands);
void buffers_end(void);

#endif
