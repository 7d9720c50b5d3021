#include "input.h"

#include "base.h"

#include <nn/hid.h>

static const uint32_t pad_ids[] = { NN_HID_NPAD_ID_NO1, NN_HID_NPAD_ID_HANDHELD };

void input_start(void)
{
    nn_hid_InitializeNpad();
    nn_hid_SetSupportedNpadIdType(pad_ids, COUNT_OF(pad_ids));
    nn_hid_SetSupportedNpadStyleSet(
        NN_HID_NPAD_STYLE_FULL_KEY | NN_HID_NPAD_STYLE_HANDHELD | NN_HID_NPAD_STYLE_JOY_DUAL);
}

/* Reads the pad `id` in the style it has; false when none is connected there. */
static bool read_pad(const uint32_t* id, nn_hid_NpadState* state)
{
    const uint32_t style = nn_hid_GetNpadStyleSet(id);
    if ((style & NN_HID_NPAD_STYLE_FULL_KEY) != 0) {
        nn_hid_GetNpadStateFullKey(state, id);
    } else if ((style & NN_HID_NPAD_STYLE_HANDHELD) != 0) {
        nn_hid_GetNpadStateHandheld(state, id);
    } else if ((style & NN_HID_NPAD_STYLE_JOY_DUAL) != 0) {
        nn_hid_GetNpadStateJoyDual(state, id);
    } else {
        return false;
    }
    return true;
}

/* A stick axis with a dead zone of a fifth, so that a resting stick never moves the player. */
static double axis(int32_t value)
{
    const double full = isl_clamp((double)value / 32767.0, -1.0, 1.0);
    const double size = full < 0.0 ? -full : full;
    return size < 0.2 ? 0.0 : (size - 0.2) / 0.8 * (full < 0.0 ? -1.0 : 1.0);
}

static double pressed(uint64_t buttons, uint64_t positive, uint64_t negative)
{
    return ((buttons & positive) != 0 ? 1.0 : 0.0) - ((buttons & negative) != 0 ? 1.0 : 0.0);
}

void input_read(input_state* out)
{
    memset(out, 0, sizeof(*out));
    for (size_t i = 0; i < COUNT_OF(pad_ids); i++) {
        nn_hid_NpadState state;
        memset(&state, 0, sizeof(state));
        if (!read_pad(&pad_ids[i], &state)) {
            continue;
        }
        const uint64_t both = NN_HID_BUTTON_PLUS | NN_HID_BUTTON_MINUS;
        out->walk_x += axis(state.left.x) + pressed(state.buttons, NN_HID_BUTTON_RIGHT, NN_HID_BUTTON_LEFT);
        out->walk_y += axis(state.left.y) + pressed(state.buttons, NN_HID_BUTTON_UP, NN_HID_BUTTON_DOWN);
        out->look_x += axis(state.right.x);
        out->look_y += axis(state.right.y);
        out->run = out->run || (state.buttons & NN_HID_BUTTON_B) != 0;
        out->end = out->end || (state.buttons & both) == both;
    }
    out->walk_x = isl_clamp(out->walk_x, -1.0, 1.0);
    out->walk_y = isl_clamp(out->walk_y, -1.0, 1.0);
    out->look_x = isl_clamp(out->look_x, -1.0, 1.0);
    out->look_y = isl_clamp(out->look_y, -1.0, 1.0);
}
