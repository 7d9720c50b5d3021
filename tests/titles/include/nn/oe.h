/* Made by `titles::headers` from the tables; edit those instead. */
#ifndef NN_OE_H
#define NN_OE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifndef NN_RESULT_DEFINED
#define NN_RESULT_DEFINED
/* 0 is success; else module | description << 9. */
typedef uint32_t nn_Result;
#endif

#define NN_OE_MESSAGE_EXIT_REQUEST 4u

void nn_oe_Initialize(void) __asm__("_ZN2nn2oe10InitializeEv");
void nn_oe_FinishStartupLogo(void) __asm__("_ZN2nn2oe17FinishStartupLogoEv");
bool nn_oe_TryPopNotificationMessage(uint32_t* out) __asm__("_ZN2nn2oe25TryPopNotificationMessageEPj");

#endif
