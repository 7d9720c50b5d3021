#version 450
#extension GL_ARB_shader_viewport_layer_array : require
layout(location = 0) flat out vec4 color;
void main() {
    vec2 uv = vec2(gl_VertexIndex == 1 ? 2.0 : 0.0, gl_VertexIndex == 2 ? 2.0 : 0.0);
    gl_Position = vec4(uv * 2.0 - 1.0, 0.5, 1.0);
    gl_Layer = gl_InstanceIndex;
    color = vec4(float(gl_InstanceIndex + 1) * 0.2, 0.0, 0.0, 1.0);
}
