/* What the two modules of the island lend each other. Mathematics is in double; blocks for the GPU are made from it. */
#ifndef ISLAND_SUPPORT_H
#define ISLAND_SUPPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ISLAND_EXPORT __attribute__((visibility("default")))
#define ISLAND_PI 3.14159265358979323846

typedef struct isl_vec3 {
    double x, y, z;
} isl_vec3;

/* Column major: element of row r and column c is m[c * 4 + r]. */
typedef struct isl_mat4 {
    double m[16];
} isl_mat4;

/* ---- subsdk0: numbers ---- */
ISLAND_EXPORT double isl_sqrt(double x);
ISLAND_EXPORT double isl_floor(double x);
ISLAND_EXPORT double isl_ceil(double x);
ISLAND_EXPORT double isl_sin(double x);
ISLAND_EXPORT double isl_cos(double x);
ISLAND_EXPORT double isl_tan(double x);
ISLAND_EXPORT double isl_atan2(double y, double x);
ISLAND_EXPORT double isl_exp(double x);
ISLAND_EXPORT double isl_clamp(double x, double low, double high);
ISLAND_EXPORT double isl_smoothstep(double low, double high, double x);

/* ---- subsdk0: vectors and matrices ---- */
ISLAND_EXPORT isl_vec3 isl_add(isl_vec3 a, isl_vec3 b);
ISLAND_EXPORT isl_vec3 isl_sub(isl_vec3 a, isl_vec3 b);
ISLAND_EXPORT isl_vec3 isl_scale(isl_vec3 a, double s);
ISLAND_EXPORT double isl_dot(isl_vec3 a, isl_vec3 b);
ISLAND_EXPORT isl_vec3 isl_cross(isl_vec3 a, isl_vec3 b);
ISLAND_EXPORT isl_vec3 isl_normalize(isl_vec3 a);
ISLAND_EXPORT void isl_identity(isl_mat4* out);
ISLAND_EXPORT void isl_multiply(isl_mat4* out, const isl_mat4* a, const isl_mat4* b);
/* Gauss-Jordan with row pivoting; false when the matrix is singular (out is then the identity). */
ISLAND_EXPORT bool isl_inverse(isl_mat4* out, const isl_mat4* a);
ISLAND_EXPORT void isl_look_at(isl_mat4* out, isl_vec3 eye, isl_vec3 target);
/* near maps to 0 and far to 1; `tangent` is that of half the vertical angle. */
ISLAND_EXPORT void isl_perspective(isl_mat4* out, double tangent, double aspect, double near, double far);
ISLAND_EXPORT void isl_translate_scale(isl_mat4* out, isl_vec3 translation, isl_vec3 scale);
ISLAND_EXPORT isl_vec3 isl_transform_point(const isl_mat4* a, isl_vec3 p);
ISLAND_EXPORT void isl_store(float* out, const isl_mat4* a);

/* ---- subsdk0: the shader archive of the RomFS ---- */
typedef struct isl_archive {
    const uint8_t* bytes;
    size_t size;
    uint32_t count;
} isl_archive;

typedef struct isl_shader {
    const uint8_t* control;
    size_t control_size;
    const uint8_t* code;
    size_t code_size;
} isl_shader;

/* Checks magic, version and table; the bytes stay the caller's. Tells main through island_asset_event. */
ISLAND_EXPORT bool isl_archive_open(isl_archive* archive, const void* bytes, size_t size);
ISLAND_EXPORT bool isl_archive_find(const isl_archive* archive, const char* name, isl_shader* out);

/* ---- subsdk0: text ---- */
ISLAND_EXPORT size_t isl_length(const char* text);
ISLAND_EXPORT bool isl_equal(const char* a, const char* b);
/* Appends at `out`, which has room; both return the new end and keep it NUL terminated. */
ISLAND_EXPORT char* isl_append(char* out, const char* text);
ISLAND_EXPORT char* isl_append_number(char* out, uint64_t value, unsigned digits);
/* As printf %0W.2f of a value >= 0: at least `width` characters. */
ISLAND_EXPORT char* isl_append_hundredths(char* out, double value, unsigned width);

/* Lets main tell that this module's constructors ran before it was first called. */
ISLAND_EXPORT bool isl_ready(void);

typedef struct isl_module {
    const char* name;
    uint32_t version;
} isl_module;

enum {
    ISL_VERSION = 1,
};

/* Who answers: main compares the version with its own ISL_VERSION. */
ISLAND_EXPORT extern const isl_module isl_module_info;

/* ---- main: called by subsdk0 ---- */
typedef enum island_event {
    ISLAND_EVENT_MODULE_READY,
    ISLAND_EVENT_ARCHIVE_OPEN,
    ISLAND_EVENT_MODULE_GONE,
} island_event;

ISLAND_EXPORT void island_asset_event(island_event event, const char* what, size_t amount);

#endif
