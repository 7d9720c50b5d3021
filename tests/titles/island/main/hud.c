/* P19 head-up display: bars, a panel captured in frame 0, and text. Pixels count from the lower left corner. */
#include "frame.h"

enum {
    MAX_QUADS = 96,
    CELL = 8,
    GLYPHS_PER_ROW = 16,
    GLYPH_ROWS = 8,
    FIRST_GLYPH = ' ',
    BAR_WIDTH = 228,
};

typedef struct hud_vertex {
    int16_t x, y;
    uint16_t u, v;
    uint8_t color[4];
} hud_vertex;

_Static_assert(sizeof(hud_vertex) == 12, "stride of the HUD layout");

typedef struct color {
    uint8_t red, green, blue, alpha;
} color;

typedef struct rectangle {
    int x0, y0, x1, y1;
    double u0, v0, u1, v1;
} rectangle;

typedef struct quads {
    hud_vertex vertices[MAX_QUADS * 4];
    int count;
} quads;

static quads flat, image, text;

static hud_vertex corner(int x, int y, double u, double v, color c)
{
    return (hud_vertex){ (int16_t)x, (int16_t)y, (uint16_t)isl_floor(u * 65535.0 + 0.5),
        (uint16_t)isl_floor(v * 65535.0 + 0.5), { c.red, c.green, c.blue, c.alpha } };
}

static void add_quad(quads* to, rectangle r, color c)
{
    CHECK(to->count < MAX_QUADS);
    hud_vertex* v = &to->vertices[to->count * 4];
    to->count++;
    v[0] = corner(r.x0, r.y0, r.u0, r.v0, c);
    v[1] = corner(r.x1, r.y0, r.u1, r.v0, c);
    v[2] = corner(r.x1, r.y1, r.u1, r.v1, c);
    v[3] = corner(r.x0, r.y1, r.u0, r.v1, c);
}

static void add_text(quads* to, const char* line, int x, int y, int scale, color c)
{
    for (; *line != 0; line++, x += CELL * scale) {
        const int glyph = (uint8_t)*line - FIRST_GLYPH;
        if (glyph == 0) {
            continue;
        }
        const double width = 1.0 / (double)GLYPHS_PER_ROW, height = 1.0 / (double)GLYPH_ROWS;
        const double u = (double)(glyph % GLYPHS_PER_ROW) * width, v = (double)(glyph / GLYPHS_PER_ROW) * height;
        /* The atlas has the top row of a glyph first. */
        add_quad(to, (rectangle){ x, y, x + CELL * scale, y + CELL * scale, u, v + height, u + width, v }, c);
    }
}

static void add_bar(quads* to, int y, double value, color c)
{
    static const color back = { 5, 4, 10, 170 };
    add_quad(to, (rectangle){ 116, y - 4, 352, y + 20, 0.0, 0.0, 1.0, 1.0 }, back);
    add_quad(to, (rectangle){ 120, y, 120 + (int)((double)BAR_WIDTH * value), y + 16, 0.1, 0.1, 0.9, 0.9 }, c);
}

/* Makes the block Layout fit a target of that size, in the order of the commands. */
static void update_layout(int width, int height)
{
    const float layout[8] = { 2.0f / (float)width, 2.0f / (float)height, -1.0f, -1.0f, 1.0f, 1.0f, 1.0f, 1.0f };
    const NVNbufferRange range = buffer_range(BUFFER_LAYOUT);
    nvnCommandBufferUpdateUniformBuffer(&commands, range.address, range.size, 0, sizeof(layout), layout);
    bind_uniform(NVN_SHADER_STAGE_VERTEX, 2, (uniform){ range.address, range.size });
}

/* Indices are bytes, so that a draw reaches 42 quads. */
static void draw_quads(const quads* from, program_id program, blend_id blend)
{
    const NVNbufferRange indices = buffer_range(BUFFER_HUD_INDICES);
    bind_setup(&commands,
        (draw_setup){ .program = program, .layout = LAYOUT_HUD, .depth = DEPTH_OFF, .polygon = POLYGON_CULL_BACK,
            .blend = blend, .mask = MASK_ALL });
    for (int first = 0; first < from->count; first += HUD_QUADS_PER_DRAW) {
        const int left = from->count - first;
        const int count = left < HUD_QUADS_PER_DRAW ? left : HUD_QUADS_PER_DRAW;
        const size_t size = (size_t)count * 4 * sizeof(hud_vertex);
        NVNbufferAddress address = 0;
        memcpy(push_room(size, &address), &from->vertices[first * 4], size);
        nvnCommandBufferBindVertexBuffer(&commands, 0, address, size);
        nvnCommandBufferDrawElements(
            &commands, NVN_DRAW_PRIMITIVE_TRIANGLES, NVN_INDEX_TYPE_UNSIGNED_BYTE, count * 6, indices.address);
    }
}

static void clear_quads(void)
{
    flat.count = 0;
    image.count = 0;
    text.count = 0;
}

static void capture_panel(void)
{
    static const float nothing[4] = { 0.0f, 0.0f, 0.0f, 0.0f };
    clear_quads();
    add_quad(&flat, (rectangle){ 0, 0, PANEL_WIDTH, PANEL_HEIGHT, 0.0, 0.0, 1.0, 1.0 }, (color){ 5, 4, 12, 225 });
    add_quad(&flat, (rectangle){ 16, 58, 240, 60, 0.1, 0.1, 0.9, 0.9 }, (color){ 255, 120, 30, 220 });
    add_text(&text, "An island", 18, 96, 2, (color){ 255, 226, 180, 255 });
    add_text(&text, "at dusk", 18, 70, 2, (color){ 255, 160, 80, 255 });
    add_text(&text, "own shaders, own art", 18, 40, 1, (color){ 190, 190, 210, 255 });
    add_text(&text, "Ferrograph demo", 18, 24, 1, (color){ 140, 140, 165, 255 });
    set_target(TEXTURE_PANEL, NULL, PANEL_WIDTH, PANEL_HEIGHT);
    nvnCommandBufferClearColor(&commands, 0, nothing, NVN_CLEAR_COLOR_MASK_RGBA);
    update_layout(PANEL_WIDTH, PANEL_HEIGHT);
    draw_quads(&flat, PROGRAM_HUD_FLAT, BLEND_ALPHA);
    bind_texture(NVN_SHADER_STAGE_FRAGMENT, 0, TEXTURE_ATLAS, SAMPLER_NEAREST);
    draw_quads(&text, PROGRAM_HUD_TEXT, BLEND_ALPHA);
    nvnCommandBufferBarrier(&commands, BARRIER_DRAWN);
}

static void fill_window(const scene* scene)
{
    static const color label = { 255, 235, 210, 255 }, number = { 255, 235, 210, 230 };
    const int column = SCREEN_WIDTH - 24 - 11 * 16;
    char line[48];
    clear_quads();
    add_bar(&flat, 58, scene->life, (color){ 200, 36, 22, 230 });
    add_bar(&flat, 28, scene->lamp, (color){ 240, 130, 24, 230 });
    add_quad(&image, (rectangle){ 24, 568, 280, 696, 0.0, 0.0, 1.0, 1.0 }, (color){ 255, 255, 255, 235 });
    add_text(&text, "LIFE", 36, 58, 2, label);
    add_text(&text, "LAMP", 36, 28, 2, label);
    isl_append_hundredths(isl_append(line, "TIME "), scene->time, 6);
    add_text(&text, line, column, 58, 2, number);
    isl_append_number(isl_append(line, "FRAME "), scene->frame, 5);
    add_text(&text, line, column, 28, 2, number);
}

void pass_hud(const frame_context* frame)
{
    group_begin("P19 head-up display");
    if (frame->scene->frame == 0) {
        capture_panel();
    }
    fill_window(frame->scene);
    set_target(frame->window, NULL, SCREEN_WIDTH, SCREEN_HEIGHT);
    update_layout(SCREEN_WIDTH, SCREEN_HEIGHT);
    draw_quads(&flat, PROGRAM_HUD_FLAT, BLEND_ALPHA);
    bind_texture(NVN_SHADER_STAGE_FRAGMENT, 0, TEXTURE_PANEL, SAMPLER_LINEAR);
    draw_quads(&image, PROGRAM_HUD_IMAGE, BLEND_PREMULTIPLIED);
    bind_texture(NVN_SHADER_STAGE_FRAGMENT, 0, TEXTURE_ATLAS, SAMPLER_NEAREST);
    draw_quads(&text, PROGRAM_HUD_TEXT, BLEND_ALPHA);
    group_end();
}
