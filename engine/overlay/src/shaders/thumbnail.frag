#version 450
// An image of the game, small: every texel that falls on the pixel counts (up to 4 x 4 of them), the chosen components are mapped from `range` to black and
// white, and what is not a number is magenta.
layout(push_constant) uniform Push { vec2 to_clip; vec2 range; uint channels; uint flags; };
#if CLASS == 1
layout(set = 0, binding = 0) uniform isampler2D tex;
#elif CLASS == 2
layout(set = 0, binding = 0) uniform usampler2D tex;
#else
layout(set = 0, binding = 0) uniform sampler2D tex;
#endif
layout(location = 0) in vec2 uv;
layout(location = 1) in vec4 color;
layout(location = 0) out vec4 result;

vec3 decode(vec3 c) {
    return mix(c / 12.92, pow((c + 0.055) / 1.055, vec3(2.4)), greaterThan(c, vec3(0.04045)));
}

vec3 encode(vec3 c) {
    return mix(c * 12.92, 1.055 * pow(c, vec3(1.0 / 2.4)) - 0.055, greaterThan(c, vec3(0.0031308)));
}

void main() {
    vec2 dx = dFdx(uv) / 4.0, dy = dFdy(uv) / 4.0;
    vec4 sum = vec4(0.0);
    bool bad = false;
    for (int y = 0; y < 4; y++) {
        for (int x = 0; x < 4; x++) {
            vec4 c = vec4(textureLod(tex, uv + (float(x) - 1.5) * dx + (float(y) - 1.5) * dy, 0.0));
            bad = bad || any(isnan(c)) || any(isinf(c));
            sum += c;
        }
    }
    vec4 c = clamp((sum / 16.0 - range.x) / max(range.y - range.x, 1e-9), 0.0, 1.0);
    bvec4 on = bvec4(channels & 1u, channels & 2u, channels & 4u, channels & 8u);
    vec3 shown = vec3(on.r ? c.r : 0.0, on.g ? c.g : 0.0, on.b ? c.b : 0.0);
    // One component alone is shown in grey.
    if ((channels & 7u) == 1u) shown = c.rrr;
    if ((channels & 7u) == 2u) shown = c.ggg;
    if ((channels & 7u) == 4u) shown = c.bbb;
    if ((channels & 15u) == 8u) shown = c.aaa;
    if ((flags & 2u) != 0u) shown = encode(shown);
    if (bad) shown = vec3(1.0, 0.0, 1.0);
    shown *= color.rgb;
    result = vec4((flags & 1u) != 0u ? decode(shown) : shown, 1.0) * color.a;
}
