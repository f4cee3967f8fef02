// A plugin of another build of core, whose code must never run.
#include <cstdlib>

#include "core/plugin/abi.h"

namespace {

__attribute__((constructor)) void opened() { setenv("THALLO_TEST_OPENED", "other_build", 1); }

}  // namespace

extern "C" {
THALLO_EXPORT extern const ThalloPluginDescriptor thallo_plugin;
__attribute__((used, section(THALLO_PLUGIN_SECTION)))
const ThalloPluginDescriptor thallo_plugin = {THALLO_PLUGIN_MAGIC,
                                              THALLO_PLUGIN_ABI,
                                              "other_build",
                                              "1.0.0",
                                              "0.0.1+11ab0000 (g++ 11.1.0)",
                                              ""};
}
