/* P0 particles, P1 cull, P2 clusters, P15 exposure. */
#include "frame.h"

void pass_particles(const frame_context* frame)
{
    enum { GROUP = 64 };
    (void)frame;
    group_begin("P0 particles");
    bind_compute(&commands, PROGRAM_PARTICLES);
    bind_uniform(NVN_SHADER_STAGE_COMPUTE, 2, push4(1.0 / 60.0, (double)PARTICLES, 26.0, 0.0));
    bind_storage(NVN_SHADER_STAGE_COMPUTE, 0, buffer_range(BUFFER_PARTICLES));
    nvnCommandBufferDispatchCompute(&commands, PARTICLES / GROUP, 1, 1);
    group_end();
}

void pass_cull(const frame_context* frame)
{
    enum { GROUP = 64 };
    group_begin("P1 cull");
    bind_uniform(NVN_SHADER_STAGE_COMPUTE, 2, push(&frame->scene->cull, sizeof(frame->scene->cull)));
    bind_storage(NVN_SHADER_STAGE_COMPUTE, 0, asset_range(ASSET_ROCK_INSTANCES));
    bind_storage(NVN_SHADER_STAGE_COMPUTE, 1, buffer_range(BUFFER_VISIBLE_ROCKS));
    bind_storage(NVN_SHADER_STAGE_COMPUTE, 2, buffer_range(BUFFER_ROCK_RECORD));
    bind_compute(&commands, PROGRAM_CULL_RESET);
    nvnCommandBufferDispatchCompute(&commands, 1, 1, 1);
    nvnCommandBufferBarrier(&commands, BARRIER_COMPUTED);
    bind_compute(&commands, PROGRAM_CULL);
    nvnCommandBufferDispatchCompute(&commands, ROCKS / GROUP, 1, 1);
    group_end();
}

void pass_clusters(const frame_context* frame)
{
    enum { CLUSTERS = 16 * 9 * 16, GROUP = 16 };
    group_begin("P2 clusters");
    bind_compute(&commands, PROGRAM_CLUSTERS);
    bind_uniform(NVN_SHADER_STAGE_COMPUTE, 2, frame->cluster);
    bind_storage(NVN_SHADER_STAGE_COMPUTE, 0, frame->lights);
    bind_storage(NVN_SHADER_STAGE_COMPUTE, 1, buffer_range(BUFFER_CLUSTER_LISTS));
    nvnCommandBufferDispatchCompute(&commands, CLUSTERS / GROUP, 1, 1);
    /* For the indirect draws of the rocks, the fireflies and the lists of the lighting. */
    nvnCommandBufferBarrier(&commands, BARRIER_COMPUTED);
    group_end();
}

void pass_exposure(const frame_context* frame)
{
    (void)frame;
    group_begin("P15 exposure");
    bind_compute(&commands, PROGRAM_EXPOSURE);
    bind_uniform(NVN_SHADER_STAGE_COMPUTE, 2, push4(0.18, 0.2, 4.0, 0.05));
    bind_storage(NVN_SHADER_STAGE_COMPUTE, 0, buffer_range(BUFFER_EXPOSURE));
    bind_texture(NVN_SHADER_STAGE_COMPUTE, 0, TEXTURE_HDR, SAMPLER_LINEAR);
    nvnCommandBufferDispatchCompute(&commands, 1, 1, 1);
    nvnCommandBufferBarrier(&commands, BARRIER_COMPUTED);
    group_end();
}
