#include "core/compat/plan.h"

#include <array>
#include <cstdlib>
#include <span>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/backend/backend.h"
#include "core/base/log.h"
#include "core/base/parse_number.h"
#include "core/base/suggest.h"

namespace thallo::compat {
namespace {

constexpr const char* BackendVariable = "THALLO_COMPAT_BACKEND";

// The parameters of the published solvers. Those of type int; the others are float.
constexpr std::array IntParameters = {"nIterations", "lIterations", "residual_reset_period"};
constexpr std::array FloatParameters = {"min_relative_decrease",   "min_trust_region_radius",
                                        "max_trust_region_radius", "q_tolerance",
                                        "function_tolerance",      "trust_region_radius",
                                        "radius_decrease_factor",  "min_lm_diagonal",
                                        "max_lm_diagonal",         "max_solver_time_in_seconds"};
// The number of iterations so far, which can only be read.
constexpr std::string_view CounterParameter = "nIter";

bool is_among(std::span<const char* const> names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

Diagnostic unknown_parameter(std::string_view name) {
  std::vector<std::string> names(IntParameters.begin(), IntParameters.end());
  names.insert(names.end(), FloatParameters.begin(), FloatParameters.end());
  return unknown_name("there is no solver parameter", name, names);
}

// The type that a host has for a field, of which Working is the precision of the plan.
ScalarType type_of(const Field& field, bool is_double) {
  const ScalarType declared = field.kind == FieldKind::Param ? field.host_type : field.type;
  if (declared != ScalarType::Working) return declared;
  return is_double ? ScalarType::Double : ScalarType::Float;
}

// Calls visit(T{}) with the type of the values.
template <class Visit>
auto with_values(ScalarType type, const Visit& visit) {
  switch (type) {
    case ScalarType::Double: return visit(double{});
    case ScalarType::Int32: return visit(std::int32_t{});
    case ScalarType::UInt8: return visit(std::uint8_t{});
    case ScalarType::Float:
    case ScalarType::Working:
    case ScalarType::Half: break;
  }
  return visit(float{});
}

Expected<void*> find_param(void** params, int position, std::string_view what,
                           std::string_view name) {
  if (params == nullptr) return fail("problemparams is NULL");
  void* found = params[position];
  if (found == nullptr)
    return fail("problemparams[{}], the {} '{}', is NULL", position, what, name);
  return found;
}

// Published solvers run on the default stream.
DeviceView device_view(void* address, ScalarType type) {
  return {.address = reinterpret_cast<std::uintptr_t>(address), .type = type};
}

}  // namespace

Expected<Settings> make_settings(bool is_double, bool is_cpu_only, bool chooses_schedule) {
  const char* named = std::getenv(BackendVariable);
  std::string backend = named != nullptr ? named : is_cpu_only ? "cpu" : "";
  if (backend.empty()) backend = "cuda";
  const std::vector<std::string> known = backend_names();
  if (std::ranges::find(known, backend) == known.end())
    return fail({fmt::format("{}={} names no backend", BackendVariable, backend), {}, known});
  const bool is_on_device = backend == "cuda";
  if (is_on_device) {
    if (const auto found = make_backend(backend); !found) {
      return fail(
          "arrays are in the memory of a GPU, and there is none: {}; set cpuOnly, or the "
          "environment variable {}=cpu, and give arrays in host memory",
          found.error().message(), BackendVariable);
    }
  }
  return Settings{.is_double = is_double,
                  .backend = std::move(backend),
                  .is_on_device = is_on_device,
                  .schedule = chooses_schedule ? "auto" : ""};
}

void set_verbosity(int level) {
  if (std::getenv("THALLO_LOG") != nullptr || level <= 0) return;
  set_log_levels(level == 1 ? "warn,solve=debug" : level == 2 ? "debug" : "trace");
}

Expected<Problem> make_problem(const char* filename, const char* kind,
                               std::initializer_list<KindName> kinds) {
  if (filename == nullptr) return fail("the name of the file is NULL");
  for (const KindName& each : kinds)
    if (kind != nullptr && each.text == kind) return Problem{filename, each.kind};
  return fail({fmt::format("there is no solver kind '{}'", kind == nullptr ? "NULL" : kind),
               {},
               names_of(kinds, &KindName::text)});
}

Plan::Plan(EnergySolver solver, const Settings& settings, SolverKind kind)
    : solver_(std::move(solver)),
      is_double_(settings.is_double),
      is_on_device_(settings.is_on_device) {
  options_.solver = kind;
  for (const auto& [name, value] : PublishedSteps)
    THALLO_ASSERT(options_.set(name, value).has_value());
  if (!solver_.defaults().use_preconditioner) options_.preconditioner = no_preconditioner()->name();
}

Expected<std::unique_ptr<Plan>> Plan::make(const Settings& settings, const Problem& problem,
                                           const unsigned* dimensions) {
  // The interpreter has no float.
  const bool is_double = settings.is_double || settings.backend == "interpreter";
  THALLO_TRY(auto solver,
             EnergySolver::load(problem.file,
                                {.backend = settings.backend,
                                 .precision = is_double ? Precision::Double : Precision::Float,
                                 .schedule = settings.schedule}));
  std::unique_ptr<Plan> plan(new Plan(std::move(solver), settings, problem.kind));
  THALLO_CHECK(plan->check_positions());
  THALLO_CHECK(plan->take_dimensions(dimensions));
  return plan;
}

Expected<void> Plan::check_positions() const {
  const Energy& energy = solver_.energy();
  std::vector<std::string> missing;
  for (const Field& field : energy.fields()) {
    if (field.is_input() && field.slot < 0)
      missing.push_back(fmt::format("{} '{}'", to_string(field.kind), field.name));
  }
  for (const SparseMap& map : energy.maps()) {
    if (map.slot < 0) missing.push_back(fmt::format("sparse map '{}'", map.name));
  }
  if (missing.empty()) return {};
  return fail("'{}' gives no position in problemparams to {}; write it last in the declaration",
              energy.name(), fmt::join(missing, ", "));
}

Expected<void> Plan::take_dimensions(const unsigned* dimensions) {
  for (const Dim& dim : solver_.energy().dims()) {
    extents_.push_back(0);
    if (dim.count_slot >= 0) continue;  // it is among the params
    if (dim.slot < 0) return fail("dim '{}' has no position in dimensions", dim.name);
    if (dimensions == nullptr) return fail("dimensions is NULL, and dim '{}' needs it", dim.name);
    extents_.back() = dimensions[dim.slot];
    if (extents_.back() == 0)
      return fail("dimensions[{}], the extent of '{}', is 0", dim.slot, dim.name);
    solver_.bind(dim.name, static_cast<double>(extents_.back()));
  }
  return {};
}

std::int64_t Plan::num_elements(const std::vector<DimId>& dims) const {
  std::int64_t count = 1;
  for (const DimId dim : dims) count *= extents_[dim.index()];
  return count;
}

Shape Plan::shape_of(const std::vector<DimId>& dims) const {
  Shape shape;
  for (const DimId dim : dims) shape.push_back(extents_[dim.index()]);
  return shape;
}

Expected<void> Plan::bind(void** params) {
  const Energy& energy = solver_.energy();
  for (std::size_t i = 0; i < energy.dims().size(); ++i) {
    const Dim& dim = energy.dims()[i];
    if (dim.count_slot < 0) continue;
    THALLO_TRY(const auto count, find_param(params, dim.count_slot, "number of", dim.name));
    extents_[i] = *static_cast<const int*>(count);
    if (extents_[i] < 0) return fail("the number of '{}' is {}", dim.name, extents_[i]);
    solver_.bind(dim.name, static_cast<double>(extents_[i]));
  }
  for (const Field& field : energy.fields()) {
    if (!field.is_input()) continue;
    THALLO_CHECK(bind_field(field, params));
  }
  for (const SparseMap& map : energy.maps()) {
    THALLO_CHECK(bind_map(map, params));
  }
  return {};
}

Expected<void> Plan::bind_field(const Field& field, void** params) {
  THALLO_TRY(const auto found, find_param(params, field.slot, to_string(field.kind), field.name));
  if (is_on_device_ && !field.dims.empty()) {  // params are numbers of the host
    solver_.bind(field.name, device_view(found, type_of(field, is_double_)), shape_of(field.dims));
    return {};
  }
  const auto count = static_cast<std::size_t>(field.channels * num_elements(field.dims));
  with_values(type_of(field, is_double_), [&]<class T>(T) {
    auto* values = static_cast<T*>(found);
    if (field.kind == FieldKind::Param) {
      solver_.bind(field.name, static_cast<double>(*values));
    } else {
      solver_.bind(field.name, std::span(values, count));
    }
  });
  return {};
}

Expected<void> Plan::bind_map(const SparseMap& map, void** params) {
  THALLO_TRY(const auto found, find_param(params, map.slot, "sparse map", map.name));
  if (is_on_device_) {
    solver_.bind(map.name, device_view(found, ScalarType::Int32), shape_of(map.in));
    return {};
  }
  const auto count = static_cast<std::size_t>(num_elements(map.in)) * map.out.size();
  solver_.bind(map.name, std::span(static_cast<const std::int32_t*>(found), count));
  return {};
}

Expected<void> Plan::finish() {
  if (!solver_.is_stepping()) return {};
  THALLO_TRY(summary_, solver_.finish());
  return {};
}

Expected<void> Plan::solve(void** params) {
  THALLO_CHECK(finish());
  THALLO_CHECK(bind(params));
  THALLO_TRY(auto summary, solver_.solve(options_));
  num_iterations_ = summary.num_iterations;
  goes_on_ = false;
  summary_ = std::move(summary);
  return {};
}

Expected<void> Plan::begin(void** params) {
  THALLO_CHECK(finish());
  THALLO_CHECK(bind(params));
  auto begun = solver_.begin(options_, [this](const IterationRecord& record) {
    num_iterations_ = record.iteration;
    return AfterIteration::GoOn;
  });
  goes_on_ = begun.has_value();
  return begun;
}

Expected<bool> Plan::step(void** params) {
  if (!solver_.is_stepping()) {
    if (summary_) return false;
    return fail("there is no solve to make a step of; call ProblemInit first");
  }
  const int before = num_iterations_;
  if (goes_on_) {
    THALLO_CHECK(bind(params));
    THALLO_TRY(goes_on_, solver_.step());
  }
  if (num_iterations_ > before) return true;
  THALLO_CHECK(finish());
  return false;
}

Expected<double> Plan::cost() {
  if (solver_.is_stepping()) return solver_.current_cost();
  if (summary_) return summary_->final_cost;
  return fail("nothing was solved yet; call ProblemInit or ProblemSolve first");
}

Expected<void> Plan::set_parameter(const char* name, const void* value) {
  if (name == nullptr || value == nullptr) return fail("a solver parameter or its value is NULL");
  if (is_among(IntParameters, name))
    return options_.set(name, fmt::format("{}", *static_cast<const int*>(value)));
  if (!is_among(FloatParameters, name)) return fail(unknown_parameter(name));
  // Published Gauss-Newton has no such test.
  if (options_.solver == SolverKind::GaussNewton && std::string_view(name) == "function_tolerance")
    return {};
  return options_.set(name, fmt::format("{}", *static_cast<const float*>(value)));
}

Expected<void> Plan::read_parameter(const char* name, void* value) const {
  if (name == nullptr || value == nullptr) return fail("a solver parameter or its value is NULL");
  if (name == CounterParameter) {
    *static_cast<int*>(value) = num_iterations_;
  } else if (is_among(IntParameters, name)) {
    *static_cast<int*>(value) = parse_number<int>(options_.text(name)).value_or(0);
  } else if (is_among(FloatParameters, name)) {
    // function_tolerance may be unset; the published default is that of LM.
    SolverOptions damped = options_;
    damped.solver = SolverKind::LevenbergMarquardt;
    *static_cast<float*>(value) =
        parse_number<float>(options_.text(name))
            .value_or(static_cast<float>(damped.effective_function_tolerance().value_or(0)));
  } else {
    return fail(unknown_parameter(name));
  }
  return {};
}

}  // namespace thallo::compat
