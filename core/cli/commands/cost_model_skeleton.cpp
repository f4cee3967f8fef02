#include "core/cli/commands/cost_model_skeleton.h"

namespace thallo::cli {
namespace {

// After SkeletonCMakeHead.
constexpr const char* ModelCMake = R"(# Makes build/lib/thallo/plugins/@NAME@.thallo.so.
thallo_add_plugin(@NAME@ SOURCES @NAME@.cpp)

# The schedule auto can be chosen by what it predicts.
enable_testing()
add_test(
  NAME choose
  COMMAND thallo::thallo --plugin-path $<TARGET_FILE_DIR:plugin_@NAME@> explain image_warping --size 16
          --schedule auto --device-spec h200 --model @NAME@)
)";

constexpr const char* ModelSource =
    R"text(// The cost model @NAME@: a step takes the time of the bytes that it must move, or
// else that of its launch.

#include <algorithm>
#include <memory>

#include "core/cost/model/cost_model.h"
#include "core/plugin/abi.h"
#include "core/plugin/registrar.h"

namespace {

using namespace thallo;

class @CLASS@Model final : public CostModel {
 public:
  std::string_view name() const override { return "@NAME@"; }
  std::string_view doc() const override { return "Bytes that must be moved, over bandwidth."; }

  // Of one run of the step. Its features say what it does (core/kernel/features.h), and the spec
  // what the device reaches (core/cost/device/device_spec.h).
  double seconds(const StepWork& step, const ProgramWork& program,
                 const DeviceSpec& device) const override {
    // What a linear iteration touches may stay in the cache from one to the next.
    const bool is_cached = device.cached_copy > 0 && evicted_share(program.loop_bytes, device) == 0;
    const double rate = is_cached ? device.cached_copy : device.copy;
    return std::max(device.node, step.features.must_move() / rate);
  }
};

Expected<void> register_into(Registrar& registrar) {
  return registrar.add<CostModel>("@NAME@", std::make_unique<@CLASS@Model>());
}

}  // namespace

THALLO_PLUGIN("@NAME@", "1.0.0", "", register_into);
)text";

constexpr const char* ModelReadme = R"(# @NAME@

A cost model for Thallo @VERSION@: it predicts how long the steps of a program take on a device. As
written by `thallo new cost_model` it knows bytes and bandwidths alone; put your own in its place.
`core/cost/model/cost_model.h` of Thallo says what it is given.

| file | what is in it |
|---|---|
| `@NAME@.cpp` | the model |
| `CMakeLists.txt` | the build, and a test |

    cmake -B build -DCMAKE_PREFIX_PATH=DIR && cmake --build build     # DIR: where Thallo is installed
    ctest --test-dir build
    thallo --plugin-path build/lib/thallo/plugins explain image_warping --schedule auto --model @NAME@

Every exploration predicts its schedules with this model, too: `thallo report` says how well it does
beside the others. In thallo-explorer it is chosen beside the device.
`THALLO_PLUGIN_PATH=build/lib/thallo/plugins` saves the flag; `cmake --install build --prefix DIR` puts
the plugin where that Thallo looks by itself. A changed Thallo needs a new build of the plugin: `thallo
plugins` says so.
)";

}  // namespace

std::vector<SkeletonFile> cost_model_skeleton(std::string_view name, std::string_view version) {
  return filled_skeleton({{"CMakeLists.txt", std::string(SkeletonCMakeHead) + ModelCMake},
                          {std::string(name) + ".cpp", ModelSource},
                          {"README.md", ModelReadme}},
                         name, version);
}

}  // namespace thallo::cli
