/* The simulation: player, camera, and the uniform blocks that follow from them. Until the player first moves, every
 * frame depends on its number alone. */
#include "scene.h"

enum {
    /* Frames without any input after which the day passes anyway. */
    IDLE_FRAMES = 600,
    SPLASH_PERIOD = 60,
    SPLASH_PHASE = 20,
};

static const double STEP = 1.0 / 60.0;
static const double NEAR = 0.1, FAR = 400.0, EXPOSURE_SCALE = 0.62, FOG_DENSITY = 0.004;
static const double FOVY_DEGREES = 50.0, PLAYER_RADIUS = 0.8;
static const double WALK_SPEED = 2.5, RUN_SPEED = 5.0, TURN_RATE = 10.0, FOLLOW_RATE = 6.0, ORBIT_SPEED = 1.8;
static const double WADE_DEPTH = -0.55, ISLAND_RADIUS = 58.0;
static const double WATER_SIZE = 160.0, MAP_SIZE = 32.0;

static const isl_vec3 CAMERA = { 0.4, 6.4, 13.5 }, LOOK = { 2.9, 4.4, 0.0 }, PLAYER = { 2.0, 2.6134, 4.0 };
static const double PLAYER_YAW = 3.14159265 - 0.35;
static const double CASCADE_ENDS[CASCADES + 1] = { 0.1, 12.0, 35.0, 90.0, 200.0 };
/* How far behind the light's volume casters still count, metres. */
static const double CASTER_RANGE = 60.0;

void world_start(world* w)
{
    w->player = PLAYER;
    w->follow = PLAYER;
    w->yaw = PLAYER_YAW;
}

static isl_vec3 turn(isl_vec3 v, double angle)
{
    const double c = isl_cos(angle), s = isl_sin(angle);
    return (isl_vec3){ c * v.x + s * v.z, v.y, c * v.z - s * v.x };
}

static void put4(float* out, double a, double b, double c, double d)
{
    out[0] = (float)a;
    out[1] = (float)b;
    out[2] = (float)c;
    out[3] = (float)d;
}

static void walk(world* w, const scene_assets* assets, const input_state* input)
{
    isl_vec3 ahead = turn(isl_sub(LOOK, CAMERA), w->orbit);
    ahead.y = 0.0;
    ahead = isl_normalize(ahead);
    const isl_vec3 right = { -ahead.z, 0.0, ahead.x };
    isl_vec3 way = isl_add(isl_scale(ahead, input->walk_y), isl_scale(right, input->walk_x));
    const double length = isl_sqrt(isl_dot(way, way));
    if (length < 1e-6) {
        return;
    }
    if (length > 1.0) {
        way = isl_scale(way, 1.0 / length);
    }
    const double speed = input->run ? RUN_SPEED : WALK_SPEED;
    const isl_vec3 next = isl_add(w->player, isl_scale(way, speed * STEP));
    const double ground = terrain_height(assets->terrain, next.x, next.z);
    const double range = isl_sqrt(next.x * next.x + next.z * next.z);
    if (ground > WADE_DEPTH && range < ISLAND_RADIUS) {
        w->player = (isl_vec3){ next.x, ground, next.z };
    }

    const double wanted = isl_atan2(way.x, way.z);
    double difference = wanted - w->yaw;
    difference -= 2.0 * ISLAND_PI * isl_floor(difference / (2.0 * ISLAND_PI) + 0.5);
    w->yaw += difference * (1.0 - isl_exp(-TURN_RATE * STEP));
    w->walk_phase += (double)WALK_KEYS * STEP * speed / WALK_SPEED;
}

static void move(world* w, const scene_assets* assets, const input_state* input, uint32_t frame)
{
    const bool asked = input->walk_x != 0.0 || input->walk_y != 0.0 || input->look_x != 0.0 || input->look_y != 0.0;
    if (asked && !w->moved) {
        w->moved = true;
        w->walk_phase = (double)frame / 60.0 * (double)WALK_KEYS + 5.0;
    }
    if (w->moved || frame >= IDLE_FRAMES) {
        w->day += STEP;
    }
    if (!w->moved) {
        return;
    }
    walk(w, assets, input);
    w->orbit -= input->look_x * ORBIT_SPEED * STEP;
    w->lift = isl_clamp(w->lift + input->look_y * 3.0 * STEP, -3.0, 6.0);
    w->follow =
        isl_add(w->follow, isl_scale(isl_sub(w->player, w->follow), 1.0 - isl_exp(-FOLLOW_RATE * STEP)));
}

static void camera(const world* w, const scene_assets* assets, isl_vec3* eye, isl_vec3* look)
{
    if (!w->moved) {
        *eye = CAMERA;
        *look = LOOK;
        return;
    }
    *eye = isl_add(w->follow, turn(isl_sub(CAMERA, PLAYER), w->orbit));
    *look = isl_add(w->follow, turn(isl_sub(LOOK, PLAYER), w->orbit));
    eye->y += w->lift;
    const double ground = terrain_height(assets->terrain, eye->x, eye->z);
    const double lowest = (ground > 0.0 ? ground : 0.0) + 0.8;
    if (eye->y < lowest) {
        eye->y = lowest;
    }
}

/* Character: the key of the walk cycle, each bone taken to the world. Entry 0 of the lights hangs on the last bone. */
static void bones(const world* w, const scene_assets* assets, scene* out)
{
    const double phase = w->moved ? w->walk_phase : out->time * (double)WALK_KEYS + 5.0;
    const int key = (int)((int64_t)isl_floor(phase) % WALK_KEYS);
    const double c = isl_cos(w->yaw), s = isl_sin(w->yaw);
    isl_mat4 place, bone, identity;
    isl_identity(&identity);
    isl_translate_scale(&place, w->player, (isl_vec3){ 1.0, 1.0, 1.0 });
    place.m[0] = c;
    place.m[2] = -s;
    place.m[8] = s;
    place.m[10] = c;
    for (int i = 0; i < BONES; i++) {
        isl_store(out->bones[i], &identity);
    }
    for (int i = 0; i < CHARACTER_BONES; i++) {
        const float* skin = assets->skin + ((size_t)key * CHARACTER_BONES + (size_t)i) * 16;
        for (int k = 0; k < 16; k++) {
            bone.m[k] = (double)skin[k];
        }
        isl_multiply(&bone, &place, &bone);
        isl_store(out->bones[i], &bone);
    }
    const isl_vec3 lantern = isl_transform_point(&bone, (isl_vec3){ -0.27, 0.74, 0.06 });
    out->lantern[0] = (float)lantern.x;
    out->lantern[1] = (float)lantern.y + 0.25f;
    out->lantern[2] = (float)lantern.z;
}

/* Each cascade covers the bounding sphere of its slice of the view, moved in whole texels so that edges stay put. */
static void cascades(isl_vec3 eye, isl_vec3 forward, isl_vec3 light, double tangent, double aspect, scene* out)
{
    const isl_vec3 z = light, x = isl_normalize(isl_cross((isl_vec3){ 0.0, 1.0, 0.0 }, z)), y = isl_cross(z, x);
    const double q = tangent * tangent * (1.0 + aspect * aspect);
    isl_mat4 to_texture;
    isl_translate_scale(&to_texture, (isl_vec3){ 0.5, 0.5, 0.0 }, (isl_vec3){ 0.5, 0.5, 1.0 });
    for (int k = 0; k < CASCADES; k++) {
        const double start = CASCADE_ENDS[k], end = CASCADE_ENDS[k + 1];
        double distance = (start + end) / 2.0 * (1.0 + q);
        if (distance > end) {
            distance = end;
        }
        const double exact = isl_sqrt((end - distance) * (end - distance) + end * end * q);
        const double radius = isl_ceil(exact * 16.0) / 16.0, texel = 2.0 * radius / (double)SHADOW_SIZE;
        const isl_vec3 centre = isl_add(eye, isl_scale(forward, distance));
        const double cx = isl_floor(isl_dot(x, centre) / texel) * texel;
        const double cy = isl_floor(isl_dot(y, centre) / texel) * texel;
        const double cz = isl_dot(z, centre), range = radius + CASTER_RANGE;
        const isl_vec3 rows[3] = { isl_scale(x, 1.0 / radius), isl_scale(y, 1.0 / radius),
            isl_scale(z, -1.0 / (2.0 * range)) };
        const double offsets[3] = { -cx / radius, -cy / radius, (cz + range) / (2.0 * range) };
        isl_mat4 clip, texture;
        isl_identity(&clip);
        for (int row = 0; row < 3; row++) {
            clip.m[row] = rows[row].x;
            clip.m[4 + row] = rows[row].y;
            clip.m[8 + row] = rows[row].z;
            clip.m[12 + row] = offsets[row];
        }
        isl_store(out->cascades[k], &clip);
        isl_multiply(&texture, &to_texture, &clip);
        isl_store(out->shadow.to_shadow[k], &texture);
        out->shadow.splits[k] = (float)end;
    }
}

static void cull_planes(const isl_mat4* view_proj, cull_block* out)
{
    for (int plane = 0; plane < 6; plane++) {
        double p[4];
        for (int column = 0; column < 4; column++) {
            const double last = view_proj->m[column * 4 + 3], row = view_proj->m[column * 4 + plane / 2];
            p[column] = plane == 4 ? row : (plane & 1) != 0 ? last - row : last + row;
        }
        const double length = isl_sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]);
        put4(out->plane[plane], p[0] / length, p[1] / length, p[2] / length, p[3] / length);
    }
    out->count[0] = ROCKS;
    out->count[1] = ROCK_INDICES;
    out->count[2] = 0;
    out->count[3] = 0;
}

static void splash(scene* out, double x, double z, double size, double strength)
{
    float* to = out->splashes[out->splash_count++];
    put4(to, x / WATER_SIZE + 0.5, z / WATER_SIZE + 0.5, size, strength);
}

void world_step(world* w, const scene_assets* assets, const input_state* input, uint32_t frame, scene* out)
{
    const isl_vec3 before = w->player;
    daylight light;
    isl_vec3 eye, look;
    out->frame = frame;
    out->time = (double)frame / 60.0;
    move(w, assets, input, frame);
    daylight_at(w->day, &light);
    camera(w, assets, &eye, &look);

    const double tangent = isl_tan(FOVY_DEGREES * ISLAND_PI / 360.0);
    const double width = (double)SCREEN_WIDTH, height = (double)SCREEN_HEIGHT, aspect = width / height;
    isl_mat4 view, projection, view_proj, inverse;
    isl_look_at(&view, eye, look);
    isl_perspective(&projection, tangent, aspect, NEAR, FAR);
    isl_multiply(&view_proj, &projection, &view);
    CHECK(isl_inverse(&inverse, &view_proj));

    frame_block* block = &out->frame_block;
    isl_store(block->view_proj, &view_proj);
    isl_store(block->view, &view);
    isl_store(block->inverse_view_proj, &inverse);
    put4(block->camera, eye.x, eye.y, eye.z, out->time);
    put4(block->sun_direction, light.direction.x, light.direction.y, light.direction.z, light.intensity);
    put4(block->sun_color, light.color[0], light.color[1], light.color[2], light.ambient);
    put4(block->screen, width, height, 1.0 / width, 1.0 / height);
    put4(block->player, w->player.x, w->player.y, w->player.z, PLAYER_RADIUS);
    put4(block->fog, light.fog[0], light.fog[1], light.fog[2], FOG_DENSITY);
    put4(block->misc, NEAR, FAR, EXPOSURE_SCALE * light.exposure, (double)frame);

    bones(w, assets, out);
    cascades(eye, isl_normalize(isl_sub(look, eye)), light.direction, tangent, aspect, out);
    cull_planes(&view_proj, &out->cull);
    put4(out->cluster.dims, 16.0, 9.0, 16.0, 2.0);
    put4(out->cluster.proj, tangent * aspect, tangent, 0.5, 128.0);
    out->cluster.count[0] = LIGHTS;
    put4(out->grass.area, w->player.x - MAP_SIZE / 2.0, w->player.z - MAP_SIZE / 2.0, 1.0 / MAP_SIZE, 1.0 / MAP_SIZE);
    put4(out->grass.wind, 0.8, 0.6, 1.7, 0.35);

    out->scroll[0] = (float)((w->player.x - before.x) / MAP_SIZE);
    out->scroll[1] = (float)((w->player.z - before.z) / MAP_SIZE);
    out->splash_count = 0;
    if (frame % SPLASH_PERIOD == SPLASH_PHASE) {
        splash(out, -3.0, -46.0, 0.012, 0.35);
    }
    if (w->player.y < 0.0) {
        splash(out, w->player.x, w->player.z, 0.03, 0.15);
    }
    out->life = 0.78;
    out->lamp = 0.55 + 0.05 * isl_sin(out->time * 2.0);
}
