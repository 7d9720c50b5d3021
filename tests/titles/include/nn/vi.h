/* Made by `titles::headers` from the tables; edit those instead. */
#ifndef NN_VI_H
#define NN_VI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifndef NN_RESULT_DEFINED
#define NN_RESULT_DEFINED
/* 0 is success; else module | description << 9. */
typedef uint32_t nn_Result;
#endif

#define NN_VI_SCALING_MODE_FIT_TO_LAYER 2u
#define NN_VI_SCALING_MODE_PRESERVE_ASPECT 4u

typedef struct nn_vi_Display nn_vi_Display;
typedef struct nn_vi_Layer nn_vi_Layer;
void nn_vi_Initialize(void) __asm__("_ZN2nn2vi10InitializeEv");
nn_Result nn_vi_OpenDefaultDisplay(nn_vi_Display** out) __asm__("_ZN2nn2vi18OpenDefaultDisplayEPPNS0_7DisplayE");
nn_Result nn_vi_CreateLayer(nn_vi_Layer** out, nn_vi_Display* display) __asm__("_ZN2nn2vi11CreateLayerEPPNS0_5LayerEPNS0_7DisplayE");
nn_Result nn_vi_SetLayerScalingMode(nn_vi_Layer* layer, uint32_t mode) __asm__("_ZN2nn2vi19SetLayerScalingModeEPNS0_5LayerENS0_11ScalingModeE");
nn_Result nn_vi_GetNativeWindow(void** out, nn_vi_Layer* layer) __asm__("_ZN2nn2vi15GetNativeWindowEPPvPNS0_5LayerE");

#endif
