/* nn:: functions on this machine: threads, locks, files, a pad. */
#include "harness.h"

#include <nn/diag.h>
#include <nn/fs.h>
#include <nn/hid.h>
#include <nn/init.h>
#include <nn/nv.h>
#include <nn/oe.h>
#include <nn/os.h>
#include <nn/vi.h>

#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    HEAP_GRAIN = 0x200000,
    PAGE = 0x1000,
};

/* Objects hold a pointer to the host's part in their first bytes. */
static void* host_part(const void* object)
{
    void* part;
    memcpy(&part, object, sizeof(part));
    if (part == NULL) {
        refuse("an nn::os object was used before it was initialised");
    }
    return part;
}

static void* make_part(void* object, size_t size)
{
    void* part = calloc(1, size);
    memcpy(object, &part, sizeof(part));
    return part;
}

static void drop_part(void* object)
{
    free(host_part(object));
    memset(object, 0, sizeof(void*));
}

/* ---- memory ---- */

static size_t heap_size;

void nn_init_InitializeAllocator(void* address, size_t size)
{
    if (address == NULL || size == 0) {
        refuse("InitializeAllocator: no memory");
    }
}

nn_Result nn_os_SetMemoryHeapSize(size_t size)
{
    if (size % HEAP_GRAIN != 0) {
        refuse("SetMemoryHeapSize: %zu is no multiple of 2 MiB", size);
    }
    heap_size = size;
    return 0;
}

nn_Result nn_os_AllocateMemoryBlock(uintptr_t* out, size_t size)
{
    if (size % HEAP_GRAIN != 0 || size > heap_size) {
        refuse("AllocateMemoryBlock: %zu bytes of a heap of %zu", size, heap_size);
    }
    void* block = aligned_alloc(HEAP_GRAIN, size);
    memset(block, 0, size);
    *out = (uintptr_t)block;
    return 0;
}

/* ---- threads ---- */

typedef struct thread_part {
    pthread_t thread;
    nn_os_ThreadType* object;
    void (*entry)(void*);
    void* argument;
    bool started, joined;
} thread_part;

static nn_os_ThreadType main_thread;
static _Thread_local nn_os_ThreadType* current_thread;

static void* run_thread(void* part_pointer)
{
    thread_part* part = part_pointer;
    current_thread = part->object;
    part->entry(part->argument);
    return NULL;
}

nn_Result nn_os_CreateThread(nn_os_ThreadType* thread, void (*entry)(void*), void* argument, void* stack,
    size_t stack_size, int32_t priority, int32_t core)
{
    if ((uintptr_t)stack % PAGE != 0 || stack_size % PAGE != 0 || stack_size == 0) {
        refuse("CreateThread: stack %p of %zu bytes is not made of whole pages", stack, stack_size);
    }
    if (priority < 0 || priority > 31 || core < 0 || core > 2) {
        refuse("CreateThread: priority %d on core %d", priority, core);
    }
    thread_part* part = make_part(thread, sizeof(*part));
    part->object = thread;
    part->entry = entry;
    part->argument = argument;
    return 0;
}

void nn_os_StartThread(nn_os_ThreadType* thread)
{
    thread_part* part = host_part(thread);
    if (part->started) {
        refuse("StartThread: started twice");
    }
    part->started = true;
    pthread_create(&part->thread, NULL, run_thread, part);
}

void nn_os_WaitThread(nn_os_ThreadType* thread)
{
    thread_part* part = host_part(thread);
    if (!part->joined) {
        pthread_join(part->thread, NULL);
        part->joined = true;
    }
}

void nn_os_DestroyThread(nn_os_ThreadType* thread)
{
    nn_os_WaitThread(thread);
    drop_part(thread);
}

void nn_os_SetThreadName(nn_os_ThreadType* thread, const char* name)
{
    host_part(thread);
    if (strlen(name) > 31) {
        refuse("SetThreadName: %s is longer than 31 characters", name);
    }
}

nn_os_ThreadType* nn_os_GetCurrentThread(void)
{
    return current_thread != NULL ? current_thread : &main_thread;
}

void nn_os_SleepThread(int64_t nanoseconds)
{
    const struct timespec time = { nanoseconds / 1000000000, nanoseconds % 1000000000 };
    nanosleep(&time, NULL);
}

/* ---- locks ---- */

void nn_os_InitializeMutex(nn_os_MutexType* mutex, bool recursive, int32_t lock_level)
{
    (void)lock_level;
    if (recursive) {
        refuse("InitializeMutex: recursive mutexes are not needed by any title");
    }
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(make_part(mutex, sizeof(pthread_mutex_t)), &attributes);
}

void nn_os_FinalizeMutex(nn_os_MutexType* mutex)
{
    drop_part(mutex);
}

void nn_os_LockMutex(nn_os_MutexType* mutex)
{
    if (pthread_mutex_lock(host_part(mutex)) != 0) {
        refuse("LockMutex: locked by this thread already");
    }
}

void nn_os_UnlockMutex(nn_os_MutexType* mutex)
{
    if (pthread_mutex_unlock(host_part(mutex)) != 0) {
        refuse("UnlockMutex: not locked by this thread");
    }
}

void nn_os_InitializeConditionVariable(nn_os_ConditionVariableType* cv)
{
    pthread_cond_init(make_part(cv, sizeof(pthread_cond_t)), NULL);
}

void nn_os_FinalizeConditionVariable(nn_os_ConditionVariableType* cv)
{
    drop_part(cv);
}

void nn_os_WaitConditionVariable(nn_os_ConditionVariableType* cv, nn_os_MutexType* mutex)
{
    if (pthread_cond_wait(host_part(cv), host_part(mutex)) != 0) {
        refuse("WaitConditionVariable: the mutex is not held");
    }
}

void nn_os_SignalConditionVariable(nn_os_ConditionVariableType* cv)
{
    pthread_cond_signal(host_part(cv));
}

void nn_os_BroadcastConditionVariable(nn_os_ConditionVariableType* cv)
{
    pthread_cond_broadcast(host_part(cv));
}

typedef struct event_part {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    bool signaled, automatic;
} event_part;

void nn_os_InitializeEvent(nn_os_EventType* event, bool signaled, uint32_t clear_mode)
{
    event_part* part = make_part(event, sizeof(*part));
    pthread_mutex_init(&part->mutex, NULL);
    pthread_cond_init(&part->changed, NULL);
    part->signaled = signaled;
    part->automatic = clear_mode == NN_OS_EVENT_CLEAR_MODE_AUTO;
}

void nn_os_FinalizeEvent(nn_os_EventType* event)
{
    drop_part(event);
}

void nn_os_SignalEvent(nn_os_EventType* event)
{
    event_part* part = host_part(event);
    pthread_mutex_lock(&part->mutex);
    part->signaled = true;
    pthread_cond_broadcast(&part->changed);
    pthread_mutex_unlock(&part->mutex);
}

void nn_os_WaitEvent(nn_os_EventType* event)
{
    event_part* part = host_part(event);
    pthread_mutex_lock(&part->mutex);
    while (!part->signaled) {
        pthread_cond_wait(&part->changed, &part->mutex);
    }
    part->signaled = !part->automatic;
    pthread_mutex_unlock(&part->mutex);
}

void nn_os_ClearEvent(nn_os_EventType* event)
{
    event_part* part = host_part(event);
    pthread_mutex_lock(&part->mutex);
    part->signaled = false;
    pthread_mutex_unlock(&part->mutex);
}

/* ---- time: a frame is a sixtieth of a second, and each read a tick ---- */

int64_t nn_os_GetSystemTickFrequency(void)
{
    return 19200000;
}

int64_t nn_os_GetSystemTick(void)
{
    static int64_t reads;
    return (int64_t)harness_presented * 320000 + ++reads;
}

/* ---- files ---- */

static bool mounted;

nn_Result nn_fs_QueryMountRomCacheSize(size_t* out)
{
    *out = 0x1000;
    return 0;
}

nn_Result nn_fs_MountRom(const char* name, void* cache, size_t size)
{
    if (strcmp(name, "rom") != 0 || cache == NULL || size == 0) {
        refuse("MountRom: name %s, cache %p of %zu bytes", name, cache, size);
    }
    mounted = true;
    return 0;
}

void nn_fs_Unmount(const char* name)
{
    if (!mounted || strcmp(name, "rom") != 0) {
        refuse("Unmount: %s is not mounted", name);
    }
    mounted = false;
}

nn_Result nn_fs_OpenFile(nn_fs_FileHandle* out, const char* path, int32_t mode)
{
    char host_path[4096];
    if (!mounted || strncmp(path, "rom:/", 5) != 0 || mode != (int32_t)NN_FS_OPEN_MODE_READ) {
        refuse("OpenFile: %s in mode %d", path, mode);
    }
    snprintf(host_path, sizeof(host_path), "%s/%s", harness.romfs, path + 5);
    FILE* file = fopen(host_path, "rb");
    out->value = (uint64_t)(uintptr_t)file;
    return file != NULL ? 0 : 0x202;
}

static FILE* host_file(nn_fs_FileHandle file)
{
    return (FILE*)(uintptr_t)file.value;
}

void nn_fs_CloseFile(nn_fs_FileHandle file)
{
    fclose(host_file(file));
}

nn_Result nn_fs_GetFileSize(int64_t* out, nn_fs_FileHandle file)
{
    fseek(host_file(file), 0, SEEK_END);
    *out = ftell(host_file(file));
    return 0;
}

nn_Result nn_fs_ReadFileShort(size_t* out, nn_fs_FileHandle file, int64_t offset, void* buffer, size_t size)
{
    fseek(host_file(file), (long)offset, SEEK_SET);
    *out = fread(buffer, 1, size, host_file(file));
    return 0;
}

nn_Result nn_fs_ReadFile(nn_fs_FileHandle file, int64_t offset, void* buffer, size_t size)
{
    size_t got = 0;
    nn_fs_ReadFileShort(&got, file, offset, buffer, size);
    return got == size ? 0 : 0x177A02;
}

/* ---- pad ---- */

static uint32_t supported_styles;

void nn_hid_InitializeNpad(void)
{
}

void nn_hid_SetSupportedNpadIdType(const uint32_t* ids, size_t count)
{
    if (ids == NULL || count == 0 || count > 10) {
        refuse("SetSupportedNpadIdType: %zu ids", count);
    }
}

void nn_hid_SetSupportedNpadStyleSet(uint32_t styles)
{
    supported_styles = styles;
}

uint32_t nn_hid_GetNpadStyleSet(const uint32_t* id)
{
    return *id == NN_HID_NPAD_ID_NO1 ? supported_styles & NN_HID_NPAD_STYLE_FULL_KEY : 0;
}

void nn_hid_GetNpadStateFullKey(nn_hid_NpadState* out, const uint32_t* id)
{
    (void)id;
    memset(out, 0, sizeof(*out));
    out->sampling_number = harness_presented;
    out->attributes = 1;
    if (harness.walk_from >= 0 && harness_presented >= harness.walk_from) {
        out->left.y = 32767;
    }
}

void nn_hid_GetNpadStateHandheld(nn_hid_NpadState* out, const uint32_t* id)
{
    (void)id;
    memset(out, 0, sizeof(*out));
}

void nn_hid_GetNpadStateJoyDual(nn_hid_NpadState* out, const uint32_t* id)
{
    nn_hid_GetNpadStateHandheld(out, id);
}

/* ---- display, applet, log, driver memory ---- */

void nn_vi_Initialize(void)
{
}

nn_Result nn_vi_OpenDefaultDisplay(nn_vi_Display** out)
{
    static int display;
    *out = (nn_vi_Display*)(void*)&display;
    return 0;
}

nn_Result nn_vi_CreateLayer(nn_vi_Layer** out, nn_vi_Display* display)
{
    static int layer;
    *out = (nn_vi_Layer*)(void*)&layer;
    return display != NULL ? 0 : 0xE72;
}

nn_Result nn_vi_SetLayerScalingMode(nn_vi_Layer* layer, uint32_t mode)
{
    return layer != NULL && (mode == 2 || mode == 4) ? 0 : 0xC72;
}

nn_Result nn_vi_GetNativeWindow(void** out, nn_vi_Layer* layer)
{
    *out = layer;
    return layer != NULL ? 0 : 0xE72;
}

void nn_oe_Initialize(void)
{
}

void nn_oe_FinishStartupLogo(void)
{
}

bool nn_oe_TryPopNotificationMessage(uint32_t* out)
{
    static bool asked;
    if (asked || harness_presented < harness.frames) {
        return false;
    }
    asked = true;
    *out = NN_OE_MESSAGE_EXIT_REQUEST;
    return true;
}

void nn_diag_AbortImpl(const char* condition, const char* function, const char* file, int32_t line)
{
    refuse("%s:%d: %s: %s", file, line, function, condition);
}

void nn_diag_LogImpl(const nn_diag_LogMetaData* data, const char* format, ...)
{
    (void)data;
    if (harness.mode != MODE_QUIET) {
        return;
    }
    va_list arguments;
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
}

void nv_SetGraphicsAllocator(void* (*allocate)(size_t, size_t, void*), void (*release)(void*, void*),
    void* (*reallocate)(void*, size_t, void*), void* user)
{
    (void)user;
    if (allocate == NULL || release == NULL || reallocate == NULL) {
        refuse("SetGraphicsAllocator: a function is missing");
    }
}

void nv_InitializeGraphics(void* memory, size_t size)
{
    if ((uintptr_t)memory % PAGE != 0 || size < 0x800000) {
        refuse("InitializeGraphics: %p, %zu bytes", memory, size);
    }
}
