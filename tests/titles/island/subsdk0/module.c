/* Constructor and destructor of the module: the host runs them through the init and fini arrays. */
#include "support.h"

const isl_module isl_module_info = { "support", ISL_VERSION };

static bool ready;

__attribute__((constructor)) static void module_start(void)
{
    ready = true;
    island_asset_event(ISLAND_EVENT_MODULE_READY, "subsdk0", 0);
}

__attribute__((destructor)) static void module_end(void)
{
    ready = false;
    island_asset_event(ISLAND_EVENT_MODULE_GONE, "subsdk0", 0);
}

bool isl_ready(void)
{
    return ready;
}
