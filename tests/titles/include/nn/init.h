/* Made by `titles::headers` from the tables; edit those instead. */
#ifndef NN_INIT_H
#define NN_INIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifndef NN_RESULT_DEFINED
#define NN_RESULT_DEFINED
/* 0 is success; else module | description << 9. */
typedef uint32_t nn_Result;
#endif


void nn_init_InitializeAllocator(void* address, size_t size) __asm__("_ZN2nn4init19InitializeAllocatorEPvm");

#endif
