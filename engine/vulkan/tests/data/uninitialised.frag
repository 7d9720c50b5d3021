#version 450
layout(location = 0) out vec4 target;
void main() {
    vec4 value;
    if (gl_FragCoord.x < 2.0) value = vec4(1.0);
    target = value;
}
