/* Start, the frame loop, end. */
#include "game.h"

#include "frame.h"
#include "simulation.h"

#include <nn/oe.h>
#include <nn/os.h>
#include <nn/vi.h>

static struct {
    uint32_t frame;
    const uint8_t* lights;
    texture_id map;
    NVNsync window_free;
} game;

static void* open_window(void)
{
    nn_vi_Display* display = NULL;
    nn_vi_Layer* layer = NULL;
    void* window = NULL;
    nn_vi_Initialize();
    CHECK_RESULT(nn_vi_OpenDefaultDisplay(&display));
    CHECK_RESULT(nn_vi_CreateLayer(&layer, display));
    CHECK_RESULT(nn_vi_SetLayerScalingMode(layer, NN_VI_SCALING_MODE_PRESERVE_ASPECT));
    CHECK_RESULT(nn_vi_GetNativeWindow(&window, layer));
    return window;
}

static void upload(void)
{
    recording_begin(0);
    textures_record_upload(&commands);
    buffers_record_clear(&commands);
    nvnCommandBufferBarrier(&commands, BARRIER_DRAWN | BARRIER_COMPUTED);
    recording_submit();
    nvnQueueFinish(&gpu.queue);
}

void game_start(void)
{
    const int64_t started = nn_os_GetSystemTick();
    NVNtexture* const window_textures[WINDOW_TEXTURES] = { &textures[TEXTURE_WINDOW_0], &textures[TEXTURE_WINDOW_1] };
    nn_oe_Initialize();
    input_start();
    void* native_window = open_window();
    gpu_start();
    assets_start(gpu.assets.memory);
    textures_start();
    gpu_make_window(native_window, window_textures, WINDOW_TEXTURES);
    shaders_start();
    states_start();
    commands_start();
    buffers_start();
    assets_finish();
    nvnMemoryPoolFlushMappedRange(&gpu.assets.pool, 0, gpu.assets.size);
    textures_write();
    upload();

    const scene_assets files = { assets_wait(ASSET_TERRAIN_VERTICES, NULL),
        (const float*)(const void*)assets_wait(ASSET_CHARACTER_SKIN, NULL) };
    game.lights = assets_wait(ASSET_LIGHTS, NULL);
    game.map = TEXTURE_MAP_0;
    CHECK(nvnSyncInitialize(&game.window_free, &gpu.device));
    simulation_start(&files);
    const int64_t ticks = nn_os_GetSystemTick() - started;
    log_line("ready after ms", (uint64_t)(ticks * 1000 / nn_os_GetSystemTickFrequency()));
    nn_oe_FinishStartupLogo();
}

uniform push_object(const isl_mat4* model, const double tint[4], const double param[4])
{
    object_block block;
    isl_store(block.model, model);
    for (int i = 0; i < 4; i++) {
        block.tint[i] = (float)tint[i];
        block.param[i] = (float)param[i];
    }
    return push(&block, sizeof(block));
}

/* Lights of the frame: those of the file, the first one carried by the character. */
static NVNbufferRange push_lights(const scene* scene)
{
    enum { LIGHT_SIZE = 32 };
    NVNbufferRange range = { 0, LIGHTS * LIGHT_SIZE };
    uint8_t* lights = push_room(range.size, &range.address);
    memcpy(lights, game.lights, range.size);
    memcpy(lights, scene->lantern, sizeof(scene->lantern));
    return range;
}

/* What holds for the whole frame; nothing is taken over from earlier commands. */
static void record_defaults(uniform frame_block)
{
    nvnCommandBufferSetTexturePool(&commands, &texture_pool);
    nvnCommandBufferSetSamplerPool(&commands, &sampler_pool);
    nvnCommandBufferSetShaderScratchMemory(&commands, &gpu.scratch.pool, 0, gpu.scratch.size);
    nvnCommandBufferBarrier(&commands, BARRIER_DRAWN | BARRIER_COMPUTED);
    NVNmultisampleState multisample;
    nvnMultisampleStateSetDefaults(&multisample);
    nvnCommandBufferBindMultisampleState(&commands, &multisample);
    nvnCommandBufferSetDepthRange(&commands, 0.0f, 1.0f);
    nvnCommandBufferSetDepthClamp(&commands, 0);
    nvnCommandBufferSetPrimitiveRestart(&commands, 0, 0xFFFF);
    nvnCommandBufferSetStencilMask(&commands, NVN_FACE_FRONT_AND_BACK, 0xFF);
    nvnCommandBufferSetStencilValueMask(&commands, NVN_FACE_FRONT_AND_BACK, 0xFF);
    bind_uniform_both(0, frame_block);
    bind_uniform(NVN_SHADER_STAGE_COMPUTE, 0, frame_block);
}

static void record_frame(const scene* scene, texture_id window)
{
    static const double white[4] = { 1.0, 1.0, 1.0, 1.0 }, none[4] = { 0.0, 0.0, 0.0, 0.0 };
    static const double terrain_units[4] = { 0.0625, 0.01, 0.0625, 0.0 };
    isl_mat4 identity;
    isl_identity(&identity);
    record_defaults(push(&scene->frame_block, sizeof(scene->frame_block)));
    frame_context frame = {
        .scene = scene,
        .window = window,
        .lights = push_lights(scene),
        .bones = push(scene->bones, sizeof(scene->bones)),
        .cluster = push(&scene->cluster, sizeof(scene->cluster)),
        .terrain = push_object(&identity, white, terrain_units),
        .plain = push_object(&identity, white, none),
        .map = game.map,
    };
    pass_particles(&frame);
    pass_cull(&frame);
    pass_clusters(&frame);
    pass_interaction(&frame);
    pass_waves(&frame);
    pass_shadows(&frame);
    pass_depth(&frame);
    pass_geometry(&frame);
    pass_half_depth(&frame);
    pass_occlusion(&frame);
    pass_lighting(&frame);
    pass_sky(&frame);
    pass_water(&frame);
    pass_fireflies(&frame);
    pass_bloom(&frame);
    pass_exposure(&frame);
    pass_grading(&frame);
    pass_tonemap(&frame);
    pass_antialias(&frame);
    pass_hud(&frame);
    game.map = frame.map;
}

static bool asked_to_end(const input_state* input)
{
    uint32_t message = 0;
    bool end = input->end;
    while (nn_oe_TryPopNotificationMessage(&message)) {
        end = end || message == NN_OE_MESSAGE_EXIT_REQUEST;
    }
    return end;
}

bool game_frame(void)
{
    input_state input;
    input_read(&input);
    if (asked_to_end(&input)) {
        return false;
    }
    simulation_post(&input, game.frame);
    int index = 0;
    CHECK(nvnWindowAcquireTexture(&gpu.window, &game.window_free, &index) == NVN_WINDOW_ACQUIRE_TEXTURE_RESULT_SUCCESS);
    CHECK(index >= 0 && index < WINDOW_TEXTURES);
    recording_begin(game.frame);
    record_frame(simulation_take(), (texture_id)(TEXTURE_WINDOW_0 + index));
    nvnQueueWaitSync(&gpu.queue, &game.window_free);
    recording_submit();
    nvnQueuePresentTexture(&gpu.queue, &gpu.window, index);
    if (game.frame == 0) {
        log_line("first frame presented", 0);
    }
    game.frame++;
    return true;
}

void game_end(void)
{
    simulation_end();
    nvnQueueFinish(&gpu.queue);
    CHECK(nvnQueueGetError(&gpu.queue, NULL) == NVN_QUEUE_GET_ERROR_RESULT_GPU_NO_ERROR);
    nvnSyncFinalize(&game.window_free);
    nvnWindowFinalize(&gpu.window);
    commands_end();
    shaders_end();
    buffers_end();
    textures_end();
    gpu_end();
    log_line("frames", game.frame);
}
