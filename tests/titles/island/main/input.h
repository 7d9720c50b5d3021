/* The controller, reduced to what the game asks of it. */
#ifndef ISLAND_INPUT_H
#define ISLAND_INPUT_H

#include <stdbool.h>

typedef struct input_state {
    /* -1..1: right and up are positive. */
    double walk_x, walk_y;
    double look_x, look_y;
    bool run;
    bool end;
} input_state;

void input_start(void);
void input_read(input_state* out);

#endif
