#version 450
#extension GL_ARB_shader_viewport_layer_array : require
// As clear.vert, one layer per instance.
void main() {
    vec2 uv = vec2(gl_VertexIndex == 1 ? 2.0 : 0.0, gl_VertexIndex == 2 ? 2.0 : 0.0);
    gl_Position = vec4(uv * 2.0 - 1.0, 0.0, 1.0);
    gl_Layer = gl_InstanceIndex;
}
