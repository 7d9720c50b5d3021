/* Start-up services of the title: the memory arena, checks that stop with a message, and the log. */
#ifndef ISLAND_BASE_H
#define ISLAND_BASE_H

#include "support.h"

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* Stops the title when `condition` does not hold. */
#define CHECK(condition) ((condition) ? (void)0 : check_failed(#condition, __func__, __FILE__, __LINE__))
/* The same for a call that returns an nn result. */
#define CHECK_RESULT(call) CHECK((call) == 0)

_Noreturn void check_failed(const char* condition, const char* function, const char* file, int line);

/* Memory that lives as long as the title, zero at first. `alignment` is a power of two. */
void* arena_allocate(size_t size, size_t alignment);

/* One line: "island: TEXT" and, when `amount` is not 0, the number. */
void log_line(const char* text, uint64_t amount);

/* Freestanding code still gets these from the host. */
void* memcpy(void* to, const void* from, size_t size);
void* memset(void* to, int value, size_t size);

#endif
