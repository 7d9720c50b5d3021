/* Made by `titles::headers` from the tables; edit those instead. */
#ifndef NN_NV_H
#define NN_NV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifndef NN_RESULT_DEFINED
#define NN_RESULT_DEFINED
/* 0 is success; else module | description << 9. */
typedef uint32_t nn_Result;
#endif


void nv_SetGraphicsAllocator(void* (*allocate)(size_t, size_t, void*), void (*release)(void*, void*), void* (*reallocate)(void*, size_t, void*), void* user) __asm__("_ZN2nv20SetGraphicsAllocatorEPFPvmmS0_EPFvS0_S0_EPFS0_S0_mS0_ES0_");
void nv_InitializeGraphics(void* memory, size_t size) __asm__("_ZN2nv18InitializeGraphicsEPvm");

#endif
