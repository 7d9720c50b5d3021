/* The day: the light goes round a tilted circle that passes through the dusk of the first frame. */
#include "scene.h"

static const double DAY_SECONDS = 240.0;
/* Tilt of the sun's path from the vertical, in radians: the sun never stands straight above. */
static const double PATH_TILT = 0.7;
/* Below this sine of elevation the moon has taken over. */
static const double MOONRISE = -0.03;

static const double DUSK[3] = { 1.0, 0.55, 0.28 }, NOON[3] = { 1.0, 0.95, 0.85 }, LATE[3] = { 1.0, 0.34, 0.12 };
static const double MOON[3] = { 0.45, 0.55, 0.8 };
static const double FOG_DUSK[3] = { 0.55, 0.33, 0.30 }, FOG_NOON[3] = { 0.60, 0.68, 0.75 };
static const double FOG_NIGHT[3] = { 0.04, 0.05, 0.09 };

static double mix(double a, double b, double t)
{
    return a + (b - a) * t;
}

static void sun_light(double elevation, double dusk, daylight* out)
{
    const double noon = isl_smoothstep(dusk, 0.6, elevation);
    const double late = 1.0 - isl_smoothstep(0.0, dusk, elevation);
    const double visible = isl_smoothstep(MOONRISE, 0.02, elevation);
    out->intensity = 5.5 * isl_smoothstep(MOONRISE, dusk, elevation);
    for (int i = 0; i < 3; i++) {
        out->color[i] = mix(mix(DUSK[i], NOON[i], noon), LATE[i], late) * visible;
    }
}

static void moon_light(double elevation, daylight* out)
{
    const double strength = isl_smoothstep(-MOONRISE, 0.25, elevation);
    out->direction = isl_scale(out->direction, -1.0);
    out->intensity = 1.1 * strength;
    for (int i = 0; i < 3; i++) {
        out->color[i] = MOON[i] * strength;
    }
}

void daylight_at(double seconds, daylight* out)
{
    const isl_vec3 start = isl_normalize((isl_vec3){ 0.42, 0.18, -0.9 });
    const isl_vec3 side = isl_normalize(isl_cross((isl_vec3){ 0.0, 1.0, 0.0 }, start));
    const isl_vec3 up = isl_cross(start, side);
    const isl_vec3 travel = isl_add(isl_scale(up, -isl_cos(PATH_TILT)), isl_scale(side, isl_sin(PATH_TILT)));
    const double angle = 2.0 * ISLAND_PI * seconds / DAY_SECONDS;
    out->direction = isl_add(isl_scale(start, isl_cos(angle)), isl_scale(travel, isl_sin(angle)));

    const double elevation = out->direction.y, dusk = start.y;
    const double day = isl_smoothstep(-0.12, dusk, elevation), noon = isl_smoothstep(dusk, 0.6, elevation);
    if (elevation > MOONRISE) {
        sun_light(elevation, dusk, out);
    } else {
        moon_light(-elevation, out);
    }
    out->ambient = 0.7 * mix(0.3, 1.0, day);
    out->exposure = mix(0.3, 1.0, day);
    for (int i = 0; i < 3; i++) {
        out->fog[i] = mix(FOG_NIGHT[i], mix(FOG_DUSK[i], FOG_NOON[i], noon), day);
    }
}
