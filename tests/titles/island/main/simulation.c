#include "simulation.h"

#include <nn/os.h>

enum {
    STACK = 0x10000,
    PRIORITY = 16,
    CORE = 2,
};

typedef enum state {
    STATE_IDLE,
    STATE_POSTED,
    STATE_DONE,
    STATE_END,
} state;

static struct {
    nn_os_ThreadType thread;
    nn_os_MutexType mutex;
    nn_os_ConditionVariableType posted;
    nn_os_ConditionVariableType done;
    state state;
    input_state input;
    uint32_t frame;
    scene_assets assets;
    world world;
    scene scene;
} simulation;

static void step(void* argument)
{
    (void)argument;
    world_start(&simulation.world);
    nn_os_LockMutex(&simulation.mutex);
    for (;;) {
        while (simulation.state != STATE_POSTED && simulation.state != STATE_END) {
            nn_os_WaitConditionVariable(&simulation.posted, &simulation.mutex);
        }
        if (simulation.state == STATE_END) {
            break;
        }
        const input_state input = simulation.input;
        const uint32_t frame = simulation.frame;
        nn_os_UnlockMutex(&simulation.mutex);
        world_step(&simulation.world, &simulation.assets, &input, frame, &simulation.scene);
        nn_os_LockMutex(&simulation.mutex);
        simulation.state = STATE_DONE;
        nn_os_SignalConditionVariable(&simulation.done);
    }
    nn_os_UnlockMutex(&simulation.mutex);
}

void simulation_start(const scene_assets* assets)
{
    simulation.assets = *assets;
    nn_os_InitializeMutex(&simulation.mutex, false, 0);
    nn_os_InitializeConditionVariable(&simulation.posted);
    nn_os_InitializeConditionVariable(&simulation.done);
    void* stack = arena_allocate(STACK, 0x1000);
    CHECK_RESULT(nn_os_CreateThread(&simulation.thread, step, NULL, stack, STACK, PRIORITY, CORE));
    nn_os_SetThreadName(&simulation.thread, "Simulation");
    nn_os_StartThread(&simulation.thread);
}

static void set_state(state next)
{
    simulation.state = next;
    nn_os_SignalConditionVariable(&simulation.posted);
}

void simulation_post(const input_state* input, uint32_t frame)
{
    nn_os_LockMutex(&simulation.mutex);
    CHECK(simulation.state == STATE_IDLE);
    simulation.input = *input;
    simulation.frame = frame;
    set_state(STATE_POSTED);
    nn_os_UnlockMutex(&simulation.mutex);
}

const scene* simulation_take(void)
{
    nn_os_LockMutex(&simulation.mutex);
    while (simulation.state != STATE_DONE) {
        nn_os_WaitConditionVariable(&simulation.done, &simulation.mutex);
    }
    simulation.state = STATE_IDLE;
    nn_os_UnlockMutex(&simulation.mutex);
    return &simulation.scene;
}

void simulation_end(void)
{
    nn_os_LockMutex(&simulation.mutex);
    set_state(STATE_END);
    nn_os_UnlockMutex(&simulation.mutex);
    nn_os_WaitThread(&simulation.thread);
    nn_os_DestroyThread(&simulation.thread);
    nn_os_FinalizeConditionVariable(&simulation.posted);
    nn_os_FinalizeConditionVariable(&simulation.done);
    nn_os_FinalizeMutex(&simulation.mutex);
}
