/* This title has no shaders. */
SHADER(none, 0, 0x0, 0x0, 0x0)
