/* Made by `titles::headers` from the tables; edit those instead. */
#ifndef NN_FS_H
#define NN_FS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifndef NN_RESULT_DEFINED
#define NN_RESULT_DEFINED
/* 0 is success; else module | description << 9. */
typedef uint32_t nn_Result;
#endif

#define NN_FS_OPEN_MODE_READ 1u

typedef struct nn_fs_FileHandle {
    uint64_t value;
} nn_fs_FileHandle;
_Static_assert(sizeof(nn_fs_FileHandle) == 0x8, "size of nn_fs_FileHandle");

nn_Result nn_fs_QueryMountRomCacheSize(size_t* out) __asm__("_ZN2nn2fs22QueryMountRomCacheSizeEPm");
nn_Result nn_fs_MountRom(const char* name, void* cache, size_t size) __asm__("_ZN2nn2fs8MountRomEPKcPvm");
void nn_fs_Unmount(const char* name) __asm__("_ZN2nn2fs7UnmountEPKc");
nn_Result nn_fs_OpenFile(nn_fs_FileHandle* out, const char* path, int32_t mode) __asm__("_ZN2nn2fs8OpenFileEPNS0_10FileHandleEPKci");
void nn_fs_CloseFile(nn_fs_FileHandle file) __asm__("_ZN2nn2fs9CloseFileENS0_10FileHandleE");
nn_Result nn_fs_GetFileSize(int64_t* out, nn_fs_FileHandle file) __asm__("_ZN2nn2fs11GetFileSizeEPlNS0_10FileHandleE");
nn_Result nn_fs_ReadFile(nn_fs_FileHandle file, int64_t offset, void* buffer, size_t size) __asm__("_ZN2nn2fs8ReadFileENS0_10FileHandleElPvm");
nn_Result nn_fs_ReadFileShort(size_t* out, nn_fs_FileHandle file, int64_t offset, void* buffer, size_t size) __asm__("_ZN2nn2fs8ReadFileEPmNS0_10FileHandleElPvm");

#endif
