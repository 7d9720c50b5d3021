#version 450
// Interface colours are blended as they are encoded; a target that encodes on its own gets them decoded first.
layout(push_constant) uniform Push { vec2 to_clip; vec2 range; uint channels; uint flags; };
layout(set = 0, binding = 0) uniform sampler2D tex;
layout(location = 0) in vec2 uv;
layout(location = 1) in vec4 color;
layout(location = 0) out vec4 result;

vec3 decode(vec3 c) {
    return mix(c / 12.92, pow((c + 0.055) / 1.055, vec3(2.4)), greaterThan(c, vec3(0.04045)));
}

void main() {
    vec4 c = color * texture(tex, uv);
    result = (flags & 1u) != 0u ? vec4(decode(c.rgb), c.a) : c;
}
