// A plugin of a later ABI: longer descriptor, and code that must never run.
#include <cstdlib>

#include "core/plugin/abi.h"

namespace {

struct LaterDescriptor {
  ThalloPluginDescriptor first;
  char more[64];
};

__attribute__((constructor)) void opened() { setenv("THALLO_TEST_OPENED", "other_abi", 1); }

}  // namespace

extern "C" {
THALLO_EXPORT extern const LaterDescriptor thallo_plugin;
__attribute__((used, section(THALLO_PLUGIN_SECTION))) const LaterDescriptor thallo_plugin = {
    {THALLO_PLUGIN_MAGIC, THALLO_PLUGIN_ABI + 1, "other_abi", "1.0.0", THALLO_CORE_BUILD_ID, ""},
    "more"};
}
