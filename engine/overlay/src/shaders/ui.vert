#version 450
// Interface triangles: positions in points, colours encoded as sRGB with premultiplied alpha.
layout(push_constant) uniform Push { vec2 to_clip; vec2 range; uint channels; uint flags; };
layout(location = 0) in vec2 position;
layout(location = 1) in vec2 uv_in;
layout(location = 2) in vec4 color_in;
layout(location = 0) out vec2 uv;
layout(location = 1) out vec4 color;

void main() {
    gl_Position = vec4(position * to_clip - 1.0, 0.0, 1.0);
    uv = uv_in;
    color = color_in;
}
