/* The function pointers behind nvn.h, and how they are found. */
#include "gpu.h"

#define DEFINE(name) __typeof__(pfnc_##name) pfnc_##name;
NVN_FOR_EACH_FUNCTION(DEFINE)
#undef DEFINE

typedef struct proc {
    const char* name;
    PFNNVNGENERICFUNCPTRPROC* pointer;
} proc;

#define ENTRY(name) { #name, (PFNNVNGENERICFUNCPTRPROC*)(void*)&pfnc_##name },
static const proc procs[] = { NVN_FOR_EACH_FUNCTION(ENTRY) };
#undef ENTRY

/* What the title calls; everything else may be missing. */
static const char* const required[] = {
#define USED(name) #name,
#include "nvn_used.h"
#undef USED
};

static bool is_required(const char* name)
{
    for (size_t i = 0; i < COUNT_OF(required); i++) {
        if (isl_equal(required[i], name)) {
            return true;
        }
    }
    return false;
}

typedef PFNNVNGENERICFUNCPTRPROC (*get_proc)(const NVNdevice* device, const char* name);

void nvn_load_procs(const NVNdevice* device)
{
    const get_proc get = (get_proc)nvnBootstrapLoader("nvnDeviceGetProcAddress");
    CHECK(get != NULL);
    uint64_t missing = 0;
    for (size_t i = 0; i < COUNT_OF(procs); i++) {
        *procs[i].pointer = get(device, procs[i].name);
        if (*procs[i].pointer == NULL) {
            missing++;
            if (is_required(procs[i].name)) {
                check_failed(procs[i].name, "nvn_load_procs: the host lacks this function", __FILE__, __LINE__);
            }
        }
    }
    if (device != NULL && missing != 0) {
        log_line("NVN functions that the host lacks and the title does not call:", missing);
    }
}
