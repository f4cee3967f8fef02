// The right descriptor without the function behind it.
#include "core/plugin/abi.h"

extern "C" {
THALLO_EXPORT extern const ThalloPluginDescriptor thallo_plugin;
__attribute__((used, section(THALLO_PLUGIN_SECTION))) const ThalloPluginDescriptor thallo_plugin = {
    THALLO_PLUGIN_MAGIC, THALLO_PLUGIN_ABI, "no_function", "1.0.0", THALLO_CORE_BUILD_ID, ""};
}
