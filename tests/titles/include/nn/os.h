/* Made by `titles::headers` from the tables; edit those instead. */
#ifndef NN_OS_H
#define NN_OS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifndef NN_RESULT_DEFINED
#define NN_RESULT_DEFINED
/* 0 is success; else module | description << 9. */
typedef uint32_t nn_Result;
#endif

#define NN_OS_EVENT_CLEAR_MODE_MANUAL 0u
#define NN_OS_EVENT_CLEAR_MODE_AUTO 1u

typedef struct nn_os_ThreadType {
    _Alignas(8) unsigned char opaque[0x1c0];
} nn_os_ThreadType;
_Static_assert(sizeof(nn_os_ThreadType) == 0x1c0, "size of nn_os_ThreadType");

typedef struct nn_os_MutexType {
    _Alignas(8) unsigned char opaque[0x20];
} nn_os_MutexType;
_Static_assert(sizeof(nn_os_MutexType) == 0x20, "size of nn_os_MutexType");

typedef struct nn_os_ConditionVariableType {
    _Alignas(4) unsigned char opaque[0x8];
} nn_os_ConditionVariableType;
_Static_assert(sizeof(nn_os_ConditionVariableType) == 0x8, "size of nn_os_ConditionVariableType");

typedef struct nn_os_EventType {
    _Alignas(8) unsigned char opaque[0x28];
} nn_os_EventType;
_Static_assert(sizeof(nn_os_EventType) == 0x28, "size of nn_os_EventType");

nn_Result nn_os_SetMemoryHeapSize(size_t size) __asm__("_ZN2nn2os17SetMemoryHeapSizeEm");
nn_Result nn_os_AllocateMemoryBlock(uintptr_t* out, size_t size) __asm__("_ZN2nn2os19AllocateMemoryBlockEPmm");
nn_Result nn_os_CreateThread(nn_os_ThreadType* thread, void (*entry)(void*), void* argument, void* stack, size_t stack_size, int32_t priority, int32_t core) __asm__("_ZN2nn2os12CreateThreadEPNS0_10ThreadTypeEPFvPvES3_S3_mii");
void nn_os_StartThread(nn_os_ThreadType* thread) __asm__("_ZN2nn2os11StartThreadEPNS0_10ThreadTypeE");
void nn_os_WaitThread(nn_os_ThreadType* thread) __asm__("_ZN2nn2os10WaitThreadEPNS0_10ThreadTypeE");
void nn_os_DestroyThread(nn_os_ThreadType* thread) __asm__("_ZN2nn2os13DestroyThreadEPNS0_10ThreadTypeE");
void nn_os_SetThreadName(nn_os_ThreadType* thread, const char* name) __asm__("_ZN2nn2os13SetThreadNameEPNS0_10ThreadTypeEPKc");
nn_os_ThreadType* nn_os_GetCurrentThread(void) __asm__("_ZN2nn2os16GetCurrentThreadEv");
void nn_os_SleepThread(int64_t nanoseconds) __asm__("_ZN2nn2os11SleepThreadENS_8TimeSpanE");
void nn_os_InitializeMutex(nn_os_MutexType* mutex, bool recursive, int32_t lock_level) __asm__("_ZN2nn2os15InitializeMutexEPNS0_9MutexTypeEbi");
void nn_os_FinalizeMutex(nn_os_MutexType* mutex) __asm__("_ZN2nn2os13FinalizeMutexEPNS0_9MutexTypeE");
void nn_os_LockMutex(nn_os_MutexType* mutex) __asm__("_ZN2nn2os9LockMutexEPNS0_9MutexTypeE");
void nn_os_UnlockMutex(nn_os_MutexType* mutex) __asm__("_ZN2nn2os11UnlockMutexEPNS0_9MutexTypeE");
void nn_os_InitializeConditionVariable(nn_os_ConditionVariableType* cv) __asm__("_ZN2nn2os27InitializeConditionVariableEPNS0_21ConditionVariableTypeE");
void nn_os_FinalizeConditionVariable(nn_os_ConditionVariableType* cv) __asm__("_ZN2nn2os25FinalizeConditionVariableEPNS0_21ConditionVariableTypeE");
void nn_os_WaitConditionVariable(nn_os_ConditionVariableType* cv, nn_os_MutexType* mutex) __asm__("_ZN2nn2os21WaitConditionVariableEPNS0_21ConditionVariableTypeEPNS0_9MutexTypeE");
void nn_os_SignalConditionVariable(nn_os_ConditionVariableType* cv) __asm__("_ZN2nn2os23SignalConditionVariableEPNS0_21ConditionVariableTypeE");
void nn_os_BroadcastConditionVariable(nn_os_ConditionVariableType* cv) __asm__("_ZN2nn2os26BroadcastConditionVariableEPNS0_21ConditionVariableTypeE");
void nn_os_InitializeEvent(nn_os_EventType* event, bool signaled, uint32_t clear_mode) __asm__("_ZN2nn2os15InitializeEventEPNS0_9EventTypeEbNS0_14EventClearModeE");
void nn_os_FinalizeEvent(nn_os_EventType* event) __asm__("_ZN2nn2os13FinalizeEventEPNS0_9EventTypeE");
void nn_os_SignalEvent(nn_os_EventType* event) __asm__("_ZN2nn2os11SignalEventEPNS0_9EventTypeE");
void nn_os_WaitEvent(nn_os_EventType* event) __asm__("_ZN2nn2os9WaitEventEPNS0_9EventTypeE");
void nn_os_ClearEvent(nn_os_EventType* event) __asm__("_ZN2nn2os10ClearEventEPNS0_9EventTypeE");
int64_t nn_os_GetSystemTick(void) __asm__("_ZN2nn2os13GetSystemTickEv");
int64_t nn_os_GetSystemTickFrequency(void) __asm__("_ZN2nn2os22GetSystemTickFrequencyEv");

#endif
