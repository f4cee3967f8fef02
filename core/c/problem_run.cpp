#include "core/c/problem_run.h"

#include <algorithm>
#include <utility>
#include <variant>
#include <vector>

#include "core/base/options.h"
#include "core/base/suggest.h"
#include "core/c/creation_options.h"
#include "core/embed/shared_session.h"
#include "core/plugin/session.h"

namespace thallo::c_api {
namespace {

Expected<Options> options_of(const Problem& problem, const thallo_option* given,
                             std::size_t count) {
  const std::vector<OptionSpec> specs = problem.options();
  const auto options = read_options(specs, option_texts(given, count),
                                    fmt::format("'{}' has no option", problem.info().name));
  return options ? complete_options(specs, *options) : options;
}

bool has_values(const Field& field) {
  return field.kind == FieldKind::Unknown || field.kind == FieldKind::Array;
}

Shape shape_of(const Binding& binding, const std::vector<DimId>& dims) {
  Shape shape;
  for (const DimId dim : dims) shape.push_back(binding.extent(dim));
  return shape;
}

thallo_type type_of(const double&) { return THALLO_DOUBLE; }
thallo_type type_of(const float&) { return THALLO_FLOAT; }
thallo_type type_of(const std::int32_t&) { return THALLO_INT32; }
thallo_type type_of(const std::uint8_t&) { return THALLO_UINT8; }

template <class T>
thallo_value value_of(const std::vector<T>& values) {
  // The instance owns them and is not constant; only the binding hands out constant maps.
  return {type_of(T{}), const_cast<T*>(values.data()), values.size(), 0};
}

}  // namespace

Expected<ProblemRun> ProblemRun::make(const std::string& name, const thallo_option* given,
                                      std::size_t count) {
  THALLO_TRY(const auto problem, shared_session().problems().lookup(name));
  THALLO_TRY(const auto options, options_of(*problem, given, count));
  THALLO_TRY(auto file, problem->energy(options));
  THALLO_TRY(auto instance, problem->instantiate(file.energy, options));
  THALLO_CHECK(instance.binding.validate(file.energy));
  return ProblemRun(*problem, std::move(file), std::move(instance));
}

EnergySolver ProblemRun::make_solver(EnergySolverOptions options) {
  if (!options.precision) options.precision = instance_.precision;
  EnergySolver solver(*std::exchange(file_, std::nullopt), std::move(options));
  bind_all(solver);
  return solver;
}

void ProblemRun::bind_all(EnergySolver& solver) {
  const Energy& energy = solver.energy();
  Binding& binding = instance_.binding;
  for (std::size_t i = 0; i < energy.dims().size(); ++i)
    solver.bind(energy.dims()[i].name, static_cast<double>(binding.extent(DimId(i))));
  for (std::size_t i = 0; i < energy.fields().size(); ++i) {
    const Field& field = energy.field(FieldId(i));
    if (field.kind == FieldKind::Param) solver.bind(field.name, binding.param(FieldId(i)));
    if (!has_values(field)) continue;
    std::visit(
        [&](auto& values) { solver.bind(field.name, values, shape_of(binding, field.dims)); },
        binding.field(FieldId(i)).storage());
  }
  for (std::size_t i = 0; i < energy.maps().size(); ++i) {
    const SparseMap& map = energy.map(MapId(i));
    solver.bind(map.name, binding.map(MapId(i)), shape_of(binding, map.in));
  }
}

Expected<thallo_value> ProblemRun::value(const Energy& energy, const std::string& name) {
  Binding& binding = instance_.binding;
  if (const DimId dim = energy.find_dim(name); dim.valid())
    return thallo_value{THALLO_INT32, nullptr, 0, static_cast<double>(binding.extent(dim))};
  if (const MapId map = energy.find_map(name); map.valid()) return value_of(binding.map(map));
  const FieldId field = energy.find_field(name);
  if (field.valid() && energy.field(field).kind == FieldKind::Param)
    return thallo_value{THALLO_DOUBLE, nullptr, 0, binding.param(field)};
  if (field.valid() && has_values(energy.field(field))) {
    return std::visit([](const auto& values) { return value_of(values); },
                      binding.field(field).storage());
  }
  return fail(
      unknown_name(fmt::format("'{}' has no input", energy.name()), name, energy.input_names()));
}

Expected<bool> ProblemRun::advance(EnergySolver& solver, const SolverSummary& solved) {
  THALLO_TRY(auto now, solver.binding());
  Instance next = instance_;
  next.binding = std::move(now);
  Solution solution = solution_;
  solution.solves.push_back(solved);
  const auto goes_on =
      problem_->advance(next, static_cast<int>(solution.solves.size()) - 1, solution);
  if (!goes_on || !*goes_on) return goes_on;
  instance_ = std::move(next);
  solution_ = std::move(solution);
  bind_all(solver);
  return true;
}

}  // namespace thallo::c_api
