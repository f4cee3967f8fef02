#include "core/cli/auto_target.h"

#include "core/backend/choose_device_spec.h"
#include "core/base/log.h"
#include "core/cli/require.h"

namespace thallo::cli {
namespace {

// The default --arch of `print cuda` and `print ptx` if there is no device.
constexpr const char* SupposedGpu = "h200";

Expected<DeviceSpec> device_of(Session& session, const RunOptions& run, const std::string& backend,
                               const CostModel& model) {
  auto spec = session.device_spec(run.device_spec, backend, run.device);
  const bool is_named = !wanted_device_spec(run.device_spec).empty();
  if (spec) {
    if (const std::string caveat = model.caveat(*spec); !caveat.empty())
      logger("cli").warn("{}", caveat);
  }
  if (spec || is_named || backend != "cuda") return spec;
  logger("cli").info("auto chooses for an {}: {}", SupposedGpu, spec.error().message());
  return named_device_spec(SupposedGpu, backend);
}

}  // namespace

AutoTarget auto_target(Session& session, const RunOptions& run, const std::string& backend,
                       const Instance& instance, const RunRequest& request,
                       const DecidedProgram& decided) {
  return auto_target(instance.binding, decided, request,
                     [&session, &run, backend, &model = *request.model] {
                       return device_of(session, run, backend, model);
                     });
}

}  // namespace thallo::cli
