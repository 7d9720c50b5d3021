/* Made by `titles::headers` from the tables; edit those instead. */
#ifndef NN_HID_H
#define NN_HID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifndef NN_RESULT_DEFINED
#define NN_RESULT_DEFINED
/* 0 is success; else module | description << 9. */
typedef uint32_t nn_Result;
#endif

#define NN_HID_NPAD_ID_NO1 0u
#define NN_HID_NPAD_ID_HANDHELD 0x20u
#define NN_HID_NPAD_STYLE_FULL_KEY 0x1u
#define NN_HID_NPAD_STYLE_HANDHELD 0x2u
#define NN_HID_NPAD_STYLE_JOY_DUAL 0x4u
#define NN_HID_BUTTON_A 0x1u
#define NN_HID_BUTTON_B 0x2u
#define NN_HID_BUTTON_X 0x4u
#define NN_HID_BUTTON_Y 0x8u
#define NN_HID_BUTTON_PLUS 0x400u
#define NN_HID_BUTTON_MINUS 0x800u
#define NN_HID_BUTTON_LEFT 0x1000u
#define NN_HID_BUTTON_UP 0x2000u
#define NN_HID_BUTTON_RIGHT 0x4000u
#define NN_HID_BUTTON_DOWN 0x8000u

typedef struct nn_hid_AnalogStickState {
    int32_t x;
    int32_t y;
} nn_hid_AnalogStickState;
_Static_assert(sizeof(nn_hid_AnalogStickState) == 0x8, "size of nn_hid_AnalogStickState");

typedef struct nn_hid_NpadState {
    int64_t sampling_number;
    uint64_t buttons;
    nn_hid_AnalogStickState left;
    nn_hid_AnalogStickState right;
    uint32_t attributes;
    uint32_t reserved;
} nn_hid_NpadState;
_Static_assert(sizeof(nn_hid_NpadState) == 0x28, "size of nn_hid_NpadState");

void nn_hid_InitializeNpad(void) __asm__("_ZN2nn3hid14InitializeNpadEv");
void nn_hid_SetSupportedNpadIdType(const uint32_t* ids, size_t count) __asm__("_ZN2nn3hid22SetSupportedNpadIdTypeEPKjm");
void nn_hid_SetSupportedNpadStyleSet(uint32_t styles) __asm__("_ZN2nn3hid24SetSupportedNpadStyleSetENS_4util10BitFlagSetILi32ENS0_12NpadStyleTagEEE");
uint32_t nn_hid_GetNpadStyleSet(const uint32_t* id) __asm__("_ZN2nn3hid15GetNpadStyleSetERKj");
void nn_hid_GetNpadStateFullKey(nn_hid_NpadState* out, const uint32_t* id) __asm__("_ZN2nn3hid12GetNpadStateEPNS0_16NpadFullKeyStateERKj");
void nn_hid_GetNpadStateHandheld(nn_hid_NpadState* out, const uint32_t* id) __asm__("_ZN2nn3hid12GetNpadStateEPNS0_17NpadHandheldStateERKj");
void nn_hid_GetNpadStateJoyDual(nn_hid_NpadState* out, const uint32_t* id) __asm__("_ZN2nn3hid12GetNpadStateEPNS0_16NpadJoyDualStateERKj");

#endif
