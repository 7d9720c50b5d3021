/* A host for tests: it answers every call of a title, checks the arguments against the rules of the API and prints what
 * was recorded. Nothing is drawn. */
#ifndef HARNESS_H
#define HARNESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef enum harness_mode {
    MODE_QUIET,
    MODE_LIST,
    MODE_BLOCKS,
} harness_mode;

typedef struct harness_options {
    const char* romfs;
    int frames;
    harness_mode mode;
    /* The one uniform slot that blocks are printed for; -1 for all. */
    int slot;
    /* Pad input: a walk straight ahead from this frame on; -1 for none. */
    int walk_from;
    /* A rule that is broken on purpose, to show that the check sees it; NULL for none. */
    const char* fault;
} harness_options;

extern harness_options harness;
/* Frames presented so far. */
extern int harness_presented;

/* Prints the broken rule and ends the program with status 1. */
_Noreturn __attribute__((format(printf, 1, 2))) void refuse(const char* format, ...);
/* One line of the listing. */
__attribute__((format(printf, 1, 2))) void list(const char* format, ...);
/* Prints lines that were held back to join equal draws. */
void list_flush(void);

#endif
