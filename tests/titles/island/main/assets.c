#include "assets.h"

#include <nn/fs.h>
#include <nn/os.h>

enum {
    LOADER_STACK = 0x10000,
    LOADER_PRIORITY = 17,
    LOADER_CORE = 1,
};

static const char* const paths[ASSET_COUNT] = {
    [ASSET_SHADERS] = "rom:/shaders.bin",
    [ASSET_TERRAIN_VERTICES] = "rom:/terrain.vtx",
    [ASSET_TERRAIN_INDICES] = "rom:/terrain.idx",
    [ASSET_ROCK_VERTICES] = "rom:/rock.vtx",
    [ASSET_ROCK_INDICES] = "rom:/rock.idx",
    [ASSET_ROCK_INSTANCES] = "rom:/rock.inst",
    [ASSET_GRASS_BLADE] = "rom:/grass.blade",
    [ASSET_GRASS_ROOTS] = "rom:/grass.root",
    [ASSET_WATER_VERTICES] = "rom:/water.vtx",
    [ASSET_WATER_INDICES] = "rom:/water.idx",
    [ASSET_CHARACTER_VERTICES] = "rom:/character.vtx",
    [ASSET_CHARACTER_INDICES] = "rom:/character.idx",
    [ASSET_CHARACTER_SKIN] = "rom:/character.skin",
    [ASSET_LIGHTS] = "rom:/lights.bin",
    [ASSET_TEXTURE_GRASS] = "rom:/tGrass.tex",
    [ASSET_TEXTURE_SAND] = "rom:/tSand.tex",
    [ASSET_TEXTURE_ROCK] = "rom:/tRock.tex",
    [ASSET_TEXTURE_BODY] = "rom:/tBody.tex",
    [ASSET_TEXTURE_MASK] = "rom:/tMask.tex",
    [ASSET_TEXTURE_STONE] = "rom:/tStone.tex",
    [ASSET_TEXTURE_DECAL] = "rom:/tDecal.tex",
    [ASSET_TEXTURE_FOAM] = "rom:/tFoam.tex",
    [ASSET_TEXTURE_ATLAS] = "rom:/atlas.tex",
};

static struct {
    uint8_t* memory;
    size_t used;
    size_t offsets[ASSET_COUNT];
    size_t sizes[ASSET_COUNT];
    /* Guarded by `mutex`; `loaded` files are there, in the order of the list. */
    int loaded;
    /* The loader is gone and nothing needs the lock any more. */
    bool complete;
    nn_os_MutexType mutex;
    nn_os_ConditionVariableType progress;
    nn_os_EventType finished;
    nn_os_ThreadType thread;
} loader;

static void load(asset_id id)
{
    nn_fs_FileHandle file;
    int64_t size = 0;
    CHECK_RESULT(nn_fs_OpenFile(&file, paths[id], NN_FS_OPEN_MODE_READ));
    CHECK_RESULT(nn_fs_GetFileSize(&size, file));
    const size_t offset = (loader.used + 255) & ~(size_t)255;
    CHECK(size >= 0 && offset + (size_t)size <= ASSET_MEMORY_SIZE);
    if (id == ASSET_SHADERS) {
        /* In pieces, as a reader with a progress bar does. */
        size_t done = 0;
        while (done < (size_t)size) {
            size_t got = 0;
            const size_t wanted = (size_t)size - done < 0x8000 ? (size_t)size - done : 0x8000;
            CHECK_RESULT(nn_fs_ReadFileShort(&got, file, (int64_t)done, loader.memory + offset + done, wanted));
            CHECK(got > 0);
            done += got;
        }
    } else {
        CHECK_RESULT(nn_fs_ReadFile(file, 0, loader.memory + offset, (size_t)size));
    }
    nn_fs_CloseFile(file);
    loader.offsets[id] = offset;
    loader.sizes[id] = (size_t)size;
    loader.used = offset + (size_t)size;
}

static void loader_thread(void* argument)
{
    (void)argument;
    for (int id = 0; id < ASSET_COUNT; id++) {
        load((asset_id)id);
        nn_os_LockMutex(&loader.mutex);
        loader.loaded = id + 1;
        nn_os_BroadcastConditionVariable(&loader.progress);
        nn_os_UnlockMutex(&loader.mutex);
    }
    nn_os_SignalEvent(&loader.finished);
}

void assets_start(uint8_t* memory)
{
    size_t cache_size = 0;
    loader.memory = memory;
    nn_os_InitializeMutex(&loader.mutex, false, 0);
    nn_os_InitializeConditionVariable(&loader.progress);
    nn_os_InitializeEvent(&loader.finished, false, NN_OS_EVENT_CLEAR_MODE_MANUAL);
    CHECK_RESULT(nn_fs_QueryMountRomCacheSize(&cache_size));
    CHECK_RESULT(nn_fs_MountRom("rom", arena_allocate(cache_size, 64), cache_size));
    void* stack = arena_allocate(LOADER_STACK, 0x1000);
    CHECK_RESULT(nn_os_CreateThread(
        &loader.thread, loader_thread, NULL, stack, LOADER_STACK, LOADER_PRIORITY, LOADER_CORE));
    nn_os_SetThreadName(&loader.thread, "AssetLoader");
    nn_os_StartThread(&loader.thread);
}

const uint8_t* assets_wait(asset_id id, size_t* size)
{
    if (!loader.complete) {
        nn_os_LockMutex(&loader.mutex);
        while (loader.loaded <= (int)id) {
            nn_os_WaitConditionVariable(&loader.progress, &loader.mutex);
        }
        nn_os_UnlockMutex(&loader.mutex);
    }
    if (size != NULL) {
        *size = loader.sizes[id];
    }
    return loader.memory + loader.offsets[id];
}

size_t assets_offset(asset_id id)
{
    return loader.offsets[id];
}

void assets_finish(void)
{
    nn_os_WaitEvent(&loader.finished);
    nn_os_ClearEvent(&loader.finished);
    nn_os_WaitThread(&loader.thread);
    nn_os_DestroyThread(&loader.thread);
    nn_os_FinalizeEvent(&loader.finished);
    nn_os_FinalizeConditionVariable(&loader.progress);
    nn_os_FinalizeMutex(&loader.mutex);
    nn_fs_Unmount("rom");
    loader.complete = true;
    log_line("assets loaded, bytes", loader.used);
}
