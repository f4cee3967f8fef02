#include "core/cli/run/wanted_program.h"

#include <functional>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/backend/choose_device_spec.h"
#include "core/base/log.h"
#include "core/cli/require.h"

namespace thallo::cli {
namespace {

// The default --arch of `print cuda` and `print ptx` if there is no device.
constexpr const char* SupposedGpu = "h200";

Expected<DeviceSpec> find_device(const WantedProgram::Place& place, const CostModel& model,
                                 bool is_deterministic) {
  const bool is_named = !wanted_device_spec(place.run.device_spec).empty();
  if (is_deterministic && !is_named) return shipped_device_spec(place.backend);
  auto spec = place.session.device_spec(place.run.device_spec, place.backend, place.run.device);
  if (spec) {
    if (const std::string caveat = model.caveat(*spec); !caveat.empty())
      logger("cli").warn("{}", caveat);
  }
  if (spec || is_named || place.backend != "cuda") return spec;
  logger("cli").info("auto chooses for an {}: {}", SupposedGpu, spec.error().message());
  return named_device_spec(SupposedGpu, place.backend);
}

// Finds the device when it is first asked for, so that what is said of it is said once.
std::function<Expected<DeviceSpec>()> device_at(const WantedProgram::Place& place,
                                                const CostModel& model, bool is_deterministic) {
  auto found = std::make_shared<std::optional<Expected<DeviceSpec>>>();
  return [place, &model, is_deterministic, found] {
    if (!*found) *found = find_device(place, model, is_deterministic);
    return **found;
  };
}

}  // namespace

SupposedTarget supposed_target(const RunOptions& options, const RunRequest& request) {
  require(check_backend_name(request.backend));
  SupposedTarget target{.backend = request.backend, .precision = request.precision};
  if (request.backend == "interpreter") {
    const auto interpreter = require(make_interpreter_backend(request.device));
    require(check_precision(*interpreter, request.precision));
    target.precision = Precision::Double;
  }
  if (const std::string named = wanted_device_spec(options.device_spec); !named.empty())
    target.spec = require(named_device_spec(named, request.backend));
  return target;
}

WantedProgram::WantedProgram(const EnergyFile& file, const Instance& instance,
                             const RunRequest& request, const Place& place)
    : file_(file),
      request_(request),
      decider_(file, request),
      demand_(
          demand_on_host(instance, place.precision.value_or(instance.precision),
                         device_at(place, *request.model,
                                   require(solver_options(instance, request)).is_deterministic))),
      decided_(require(decider_.decide(demand_, require(solver_options(instance, request))))) {}

void WantedProgram::suit(const Plan& plan) { require(decider_.suit(plan, demand_, decided_)); }

void WantedProgram::suit_all(const std::vector<std::string>& schedules,
                             const ConstructRegistry& constructs) {
  for (const std::string& which : schedules) {
    const bool is_open = which.empty() && file_.schedule.empty();
    const std::string& name = is_open ? file_.schedule_name : which;
    if (name == "auto" || (is_open && name.empty())) continue;
    const AutoTarget target = auto_target();
    const Schedule schedule = require(choose_schedule(which, file_, constructs, &target));
    suit(require(make_plan(file_.energy, schedule, constructs)));
  }
}

std::string WantedProgram::text() const {
  std::string text =
      fmt::format("{}, {}, {}", to_string(decided_.program.solver), decided_.solver.linear_solver,
                  to_string(decided_.program.precision));
  if (!decided_.why_linear_solver.empty()) {
    text += fmt::format("\n{} was chosen: {}", decided_.solver.linear_solver,
                        decided_.why_linear_solver);
  }
  if (!decided_.why_precision.empty())
    text += fmt::format("\ndouble was chosen: {}", decided_.why_precision);
  return text;
}

void WantedProgram::add_to(nlohmann::ordered_json& object) const {
  object["solver"] = to_string(decided_.program.solver);
  object["linear_solver"] = decided_.solver.linear_solver;
  object["preconditioner"] = decided_.program.preconditioner->name();
  object["precision"] = to_string(decided_.program.precision);
  if (!decided_.why_linear_solver.empty()) object["why_linear_solver"] = decided_.why_linear_solver;
  if (!decided_.why_precision.empty()) object["why_precision"] = decided_.why_precision;
}

}  // namespace thallo::cli
