/* Heights from the terrain mesh: 8 x 8 chunks of 33 x 33 points, 12 bytes each, x y z as int16 at the start. */
#include "scene.h"

enum {
    CHUNKS = 8,
    CHUNK_POINTS = 33,
    CHUNK_CELLS = 32,
    STRIDE = 12,
    CELLS = CHUNKS * CHUNK_CELLS,
};

static const double CELL_METRES = 0.5, HEIGHT_METRES = 0.01, HALF_SIZE = 64.0, OUTSIDE = -10.0;

static double point_height(const uint8_t* vertices, int column, int row)
{
    const int cx = column < CELLS ? column / CHUNK_CELLS : CHUNKS - 1;
    const int cz = row < CELLS ? row / CHUNK_CELLS : CHUNKS - 1;
    const int i = column - cx * CHUNK_CELLS, j = row - cz * CHUNK_CELLS;
    const int index = (cz * CHUNKS + cx) * CHUNK_POINTS * CHUNK_POINTS + j * CHUNK_POINTS + i;
    const uint8_t* y = vertices + (size_t)index * STRIDE + 2;
    return (double)(int16_t)(uint16_t)(y[0] | y[1] << 8) * HEIGHT_METRES;
}

double terrain_height(const uint8_t* vertices, double x, double z)
{
    const double u = (x + HALF_SIZE) / CELL_METRES, v = (z + HALF_SIZE) / CELL_METRES;
    if (!(u >= 0.0 && v >= 0.0 && u < (double)CELLS && v < (double)CELLS)) {
        return OUTSIDE;
    }
    const int column = (int)u, row = (int)v;
    const double fu = u - (double)column, fv = v - (double)row;
    const double near = point_height(vertices, column, row) * (1.0 - fu) + point_height(vertices, column + 1, row) * fu;
    const double far =
        point_height(vertices, column, row + 1) * (1.0 - fu) + point_height(vertices, column + 1, row + 1) * fu;
    return near * (1.0 - fv) + far * fv;
}
