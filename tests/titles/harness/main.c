/* NATIVE ROMFS FRAMES [list|blocks|quiet] [slot=N] [walk=FRAME] [fault=NAME] */
#include "harness.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void nninitStartup(void);
void nnMain(void);

harness_options harness = { .slot = -1, .walk_from = -1 };
int harness_presented;

void refuse(const char* format, ...)
{
    va_list arguments;
    list_flush();
    fflush(stdout);
    fprintf(stderr, "frame %d: ", harness_presented);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    exit(1);
}

void list(const char* format, ...)
{
    va_list arguments;
    if (harness.mode != MODE_LIST) {
        return;
    }
    list_flush();
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    putchar('\n');
}

/* Before the constructors of the title, as on the console. */
__attribute__((constructor(101))) static void start(void)
{
    nninitStartup();
}

int main(int count, char** words)
{
    if (count < 3) {
        fprintf(stderr, "usage: %s ROMFS FRAMES [list|blocks|quiet] [slot=N] [walk=FRAME] [fault=NAME]\n", words[0]);
        return 2;
    }
    harness.romfs = words[1];
    harness.frames = atoi(words[2]);
    for (int i = 3; i < count; i++) {
        if (strcmp(words[i], "list") == 0) {
            harness.mode = MODE_LIST;
        } else if (strcmp(words[i], "blocks") == 0) {
            harness.mode = MODE_BLOCKS;
        } else if (strncmp(words[i], "slot=", 5) == 0) {
            harness.slot = atoi(words[i] + 5);
        } else if (strncmp(words[i], "walk=", 5) == 0) {
            harness.walk_from = atoi(words[i] + 5);
        } else if (strncmp(words[i], "fault=", 6) == 0) {
            harness.fault = words[i] + 6;
        }
    }
    nnMain();
    list_flush();
    if (harness_presented != harness.frames) {
        refuse("%d frames presented, %d asked for", harness_presented, harness.frames);
    }
    return 0;
}
