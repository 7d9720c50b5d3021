/* Elementary functions in double, good to a few units in the last place over the ranges a frame needs. */
#include "support.h"

double isl_sqrt(double x)
{
    return __builtin_sqrt(x);
}

double isl_floor(double x)
{
    /* Beyond 2^52 every double is whole. */
    if (!(x > -4503599627370496.0 && x < 4503599627370496.0)) {
        return x;
    }
    const double whole = (double)(int64_t)x;
    return whole > x ? whole - 1.0 : whole;
}

double isl_ceil(double x)
{
    return -isl_floor(-x);
}

/* Series around 0 for |x| <= pi/4; the first term left out is below 1e-19. */
static double sine_series(double x)
{
    const double q = x * x;
    double sum = 0.0;
    for (int n = 17; n >= 3; n -= 2) {
        sum = (1.0 + sum) * (-q / (double)(n * (n - 1)));
    }
    return x * (1.0 + sum);
}

static double cosine_series(double x)
{
    const double q = x * x;
    double sum = 0.0;
    for (int n = 18; n >= 2; n -= 2) {
        sum = (1.0 + sum) * (-q / (double)(n * (n - 1)));
    }
    return 1.0 + sum;
}

/* x minus the nearest multiple of pi/2, and that multiple modulo 4. */
static double reduce(double x, unsigned* quadrant)
{
    const double half_pi_high = 1.5707963267341256, half_pi_low = 6.077100506506192e-11;
    const double count = isl_floor(x / (ISLAND_PI / 2.0) + 0.5);
    *quadrant = (unsigned)((int64_t)count & 3);
    return (x - count * half_pi_high) - count * half_pi_low;
}

double isl_sin(double x)
{
    unsigned quadrant;
    const double r = reduce(x, &quadrant);
    const double value = (quadrant & 1u) != 0 ? cosine_series(r) : sine_series(r);
    return (quadrant & 2u) != 0 ? -value : value;
}

double isl_cos(double x)
{
    unsigned quadrant;
    const double r = reduce(x, &quadrant);
    const double value = (quadrant & 1u) != 0 ? sine_series(r) : cosine_series(r);
    return quadrant == 1u || quadrant == 2u ? -value : value;
}

double isl_tan(double x)
{
    return isl_sin(x) / isl_cos(x);
}

/* Series for |x| <= tan(pi/16). */
static double arctangent_series(double x)
{
    const double q = x * x;
    double sum = 0.0;
    for (int n = 23; n >= 3; n -= 2) {
        const double term = 1.0 / (double)n;
        sum = -q * (term + sum);
    }
    return x * (1.0 + sum);
}

static double arctangent(double x)
{
    /* Two halvings of the angle bring [0, 1] into the series' range. */
    for (int i = 0; i < 2; i++) {
        x = x / (1.0 + isl_sqrt(1.0 + x * x));
    }
    return 4.0 * arctangent_series(x);
}

double isl_atan2(double y, double x)
{
    const double ay = y < 0.0 ? -y : y, ax = x < 0.0 ? -x : x;
    if (ax == 0.0 && ay == 0.0) {
        return 0.0;
    }
    double angle = ay > ax ? ISLAND_PI / 2.0 - arctangent(ax / ay) : arctangent(ay / ax);
    if (x < 0.0) {
        angle = ISLAND_PI - angle;
    }
    return y < 0.0 ? -angle : angle;
}

double isl_exp(double x)
{
    const double ln2 = 0.69314718055994530942;
    const double count = isl_floor(isl_clamp(x, -700.0, 700.0) / ln2 + 0.5);
    const double r = isl_clamp(x, -700.0, 700.0) - count * ln2;
    double sum = 1.0;
    for (int n = 14; n >= 1; n--) {
        sum = 1.0 + sum * r / (double)n;
    }
    const union {
        uint64_t bits;
        double value;
    } power = { .bits = (uint64_t)((int64_t)count + 1023) << 52 };
    return sum * power.value;
}

double isl_clamp(double x, double low, double high)
{
    return x < low ? low : x > high ? high : x;
}

double isl_smoothstep(double low, double high, double x)
{
    const double t = isl_clamp((x - low) / (high - low), 0.0, 1.0);
    return t * t * (3.0 - 2.0 * t);
}
