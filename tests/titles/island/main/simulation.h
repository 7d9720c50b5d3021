/* The thread that steps the world: the game posts a frame's input, records what does not depend on it, and takes the
 * finished scene. */
#ifndef ISLAND_SIMULATION_H
#define ISLAND_SIMULATION_H

#include "scene.h"

void simulation_start(const scene_assets* assets);
void simulation_post(const input_state* input, uint32_t frame);
/* Waits for the scene of the posted frame; valid until the next post. */
const scene* simulation_take(void);
void simulation_end(void);

#endif
