/* Made by `titles::headers` from the tables; edit those instead. */
#ifndef NN_DIAG_H
#define NN_DIAG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifndef NN_RESULT_DEFINED
#define NN_RESULT_DEFINED
/* 0 is success; else module | description << 9. */
typedef uint32_t nn_Result;
#endif


typedef struct nn_diag_LogMetaData {
    _Alignas(8) unsigned char opaque[0x60];
} nn_diag_LogMetaData;
_Static_assert(sizeof(nn_diag_LogMetaData) == 0x60, "size of nn_diag_LogMetaData");

_Noreturn void nn_diag_AbortImpl(const char* condition, const char* function, const char* file, int32_t line) __asm__("_ZN2nn4diag6detail9AbortImplEPKcS3_S3_i");
void nn_diag_LogImpl(const nn_diag_LogMetaData* data, const char* format, ...) __asm__("_ZN2nn4diag6detail7LogImplERKNS0_11LogMetaDataEPKcz");

#endif
