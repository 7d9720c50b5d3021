/* Vectors and 4x4 matrices. */
#include "support.h"

isl_vec3 isl_add(isl_vec3 a, isl_vec3 b)
{
    return (isl_vec3){ a.x + b.x, a.y + b.y, a.z + b.z };
}

isl_vec3 isl_sub(isl_vec3 a, isl_vec3 b)
{
    return (isl_vec3){ a.x - b.x, a.y - b.y, a.z - b.z };
}

isl_vec3 isl_scale(isl_vec3 a, double s)
{
    return (isl_vec3){ a.x * s, a.y * s, a.z * s };
}

double isl_dot(isl_vec3 a, isl_vec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

isl_vec3 isl_cross(isl_vec3 a, isl_vec3 b)
{
    return (isl_vec3){ a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x };
}

isl_vec3 isl_normalize(isl_vec3 a)
{
    return isl_scale(a, 1.0 / isl_sqrt(isl_dot(a, a)));
}

void isl_identity(isl_mat4* out)
{
    for (int i = 0; i < 16; i++) {
        out->m[i] = i % 5 == 0 ? 1.0 : 0.0;
    }
}

void isl_multiply(isl_mat4* out, const isl_mat4* a, const isl_mat4* b)
{
    isl_mat4 product;
    for (int column = 0; column < 4; column++) {
        for (int row = 0; row < 4; row++) {
            double sum = 0.0;
            for (int k = 0; k < 4; k++) {
                sum += a->m[k * 4 + row] * b->m[column * 4 + k];
            }
            product.m[column * 4 + row] = sum;
        }
    }
    *out = product;
}

static double magnitude(double x)
{
    return x < 0.0 ? -x : x;
}

static void swap_rows(double* a, double* b)
{
    for (int column = 0; column < 8; column++) {
        const double kept = a[column];
        a[column] = b[column];
        b[column] = kept;
    }
}

bool isl_inverse(isl_mat4* out, const isl_mat4* a)
{
    double work[4][8];
    for (int row = 0; row < 4; row++) {
        for (int column = 0; column < 4; column++) {
            work[row][column] = a->m[column * 4 + row];
            work[row][column + 4] = row == column ? 1.0 : 0.0;
        }
    }
    isl_identity(out);
    for (int step = 0; step < 4; step++) {
        int pivot = step;
        for (int row = step + 1; row < 4; row++) {
            if (magnitude(work[row][step]) > magnitude(work[pivot][step])) {
                pivot = row;
            }
        }
        swap_rows(work[step], work[pivot]);
        const double divisor = work[step][step];
        if (divisor == 0.0) {
            return false;
        }
        for (int column = 0; column < 8; column++) {
            work[step][column] /= divisor;
        }
        for (int row = 0; row < 4; row++) {
            const double factor = row == step ? 0.0 : work[row][step];
            for (int column = 0; column < 8; column++) {
                work[row][column] -= factor * work[step][column];
            }
        }
    }
    for (int row = 0; row < 4; row++) {
        for (int column = 0; column < 4; column++) {
            out->m[column * 4 + row] = work[row][column + 4];
        }
    }
    return true;
}

void isl_look_at(isl_mat4* out, isl_vec3 eye, isl_vec3 target)
{
    const isl_vec3 up = { 0.0, 1.0, 0.0 };
    const isl_vec3 z = isl_normalize(isl_sub(eye, target));
    const isl_vec3 x = isl_normalize(isl_cross(up, z));
    const isl_vec3 axes[3] = { x, isl_cross(z, x), z };
    isl_identity(out);
    for (int row = 0; row < 3; row++) {
        out->m[row] = axes[row].x;
        out->m[4 + row] = axes[row].y;
        out->m[8 + row] = axes[row].z;
        out->m[12 + row] = -isl_dot(axes[row], eye);
    }
}

void isl_perspective(isl_mat4* out, double tangent, double aspect, double near, double far)
{
    for (int i = 0; i < 16; i++) {
        out->m[i] = 0.0;
    }
    out->m[0] = 1.0 / (tangent * aspect);
    out->m[5] = 1.0 / tangent;
    out->m[10] = far / (near - far);
    out->m[11] = -1.0;
    out->m[14] = near * far / (near - far);
}

void isl_translate_scale(isl_mat4* out, isl_vec3 translation, isl_vec3 scale)
{
    isl_identity(out);
    out->m[0] = scale.x;
    out->m[5] = scale.y;
    out->m[10] = scale.z;
    out->m[12] = translation.x;
    out->m[13] = translation.y;
    out->m[14] = translation.z;
}

isl_vec3 isl_transform_point(const isl_mat4* a, isl_vec3 p)
{
    double result[3];
    for (int row = 0; row < 3; row++) {
        result[row] = a->m[row] * p.x + a->m[4 + row] * p.y + a->m[8 + row] * p.z + a->m[12 + row];
    }
    return (isl_vec3){ result[0], result[1], result[2] };
}

void isl_store(float* out, const isl_mat4* a)
{
    for (int i = 0; i < 16; i++) {
        out[i] = (float)a->m[i];
    }
}
