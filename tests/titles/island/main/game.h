/* The game as start-up sees it. */
#ifndef ISLAND_GAME_H
#define ISLAND_GAME_H

#include <stdbool.h>

void game_start(void);
/* Draws and presents one frame; false once the title shall end. */
bool game_frame(void);
void game_end(void);

#endif
