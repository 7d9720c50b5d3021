#include "shaders.h"

#include "assets.h"

enum {
    CODE_ALIGNMENT = 256,
    MAX_SHADERS = 64,
    STAGE_COUNT = 2,
};

typedef struct program_files {
    const char* label;
    const char* stages[STAGE_COUNT];
} program_files;

static const program_files files[PROGRAM_COUNT] = {
#define X(id, first, second) [id] = { #id, { first, second } },
    FOR_EACH_PROGRAM(X)
#undef X
};

/* A shader that is already in the code pool; several programs share vs_fullscreen and others. */
typedef struct placed_shader {
    const char* name;
    NVNshaderData data;
} placed_shader;

static NVNprogram programs[PROGRAM_COUNT];
static placed_shader placed[MAX_SHADERS];
static size_t placed_count;

static NVNshaderData place(const isl_archive* archive, const char* name)
{
    for (size_t i = 0; i < placed_count; i++) {
        if (isl_equal(placed[i].name, name)) {
            return placed[i].data;
        }
    }
    isl_shader shader;
    CHECK(isl_archive_find(archive, name, &shader));
    const size_t offset = gpu_allocate(&gpu.code, shader.code_size, CODE_ALIGNMENT);
    memcpy(gpu.code.memory + offset, shader.code, shader.code_size);
    CHECK(placed_count < MAX_SHADERS);
    placed_shader* one = &placed[placed_count++];
    one->name = name;
    one->data = (NVNshaderData){ gpu.code.address + offset, shader.control };
    return one->data;
}

void shaders_start(void)
{
    isl_archive archive;
    size_t size = 0;
    const uint8_t* bytes = assets_wait(ASSET_SHADERS, &size);
    CHECK(isl_archive_open(&archive, bytes, size));
    for (int id = 0; id < PROGRAM_COUNT; id++) {
        NVNshaderData stages[STAGE_COUNT];
        int count = 0;
        while (count < STAGE_COUNT && files[id].stages[count] != NULL) {
            stages[count] = place(&archive, files[id].stages[count]);
            count++;
        }
        CHECK(nvnProgramInitialize(&programs[id], &gpu.device));
        nvnProgramSetDebugLabel(&programs[id], files[id].label);
        CHECK(nvnProgramSetShaders(&programs[id], count, stages));
    }
}

void shaders_end(void)
{
    for (int id = 0; id < PROGRAM_COUNT; id++) {
        nvnProgramFinalize(&programs[id]);
    }
}

void bind_program(NVNcommandBuffer* commands, program_id id)
{
    if (files[id].stages[1] != NULL) {
        nvnCommandBufferBindProgram(
            commands, &programs[id], NVN_SHADER_STAGE_VERTEX_BIT | NVN_SHADER_STAGE_FRAGMENT_BIT);
    } else {
        nvnCommandBufferBindProgram(commands, &programs[id], NVN_SHADER_STAGE_VERTEX_BIT);
        nvnCommandBufferBindProgram(commands, NULL, NVN_SHADER_STAGE_FRAGMENT_BIT);
    }
}

void bind_compute(NVNcommandBuffer* commands, program_id id)
{
    nvnCommandBufferBindProgram(commands, &programs[id], NVN_SHADER_STAGE_COMPUTE_BIT);
}
