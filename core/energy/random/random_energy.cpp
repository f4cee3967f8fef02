#include "core/energy/random/random_energy.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/energy/dependence.h"
#include "core/energy/print.h"
#include "core/energy/random/expressions.h"

namespace thallo {
namespace random_energy {
namespace {

using Extents = std::map<std::string, std::int64_t>;

constexpr double Jitter = 0.03;  // around multiples of Grid

void expect(const Expected<void>& done) {
  if (!done) throw InternalError(done.error().message(), __FILE__, __LINE__);
}

Extents random_extents(Draws& draws) {
  Extents extents;
  constexpr std::pair<const char*, int> Most[] = {{"W", 4}, {"H", 3}, {"N", 5},
                                                  {"E", 6}, {"F", 4}, {"K", 3}};
  for (const auto& [name, most] : Most) extents[name] = draws.between(1, most);
  if (!draws.chance(0.15)) return extents;
  switch (draws.between(0, 3)) {
    case 0: extents["K"] = 0; break;
    case 1: extents["F"] = 0; break;
    case 2: extents["E"] = extents["F"] = 0; break;
    default: extents["W"] = extents["F"] = 0; break;
  }
  return extents;
}

std::vector<double> random_values(Draws& draws, std::int64_t count) {
  std::vector<double> values(static_cast<std::size_t>(count));
  for (double& value : values) {
    const double center = Grid * draws.between(-5, 5);
    value = center + draws.uniform(-Jitter, Jitter);
  }
  return values;
}

std::vector<std::int32_t> random_map(Draws& draws, std::int64_t count, std::int64_t extent) {
  std::vector<std::int32_t> values(static_cast<std::size_t>(count));
  for (std::int32_t& value : values) value = draws.between(0, static_cast<int>(extent) - 1);
  return values;
}

void bind_field(RandomInputs& in, const Field& field, std::int64_t num_elements, Binding& binding) {
  std::vector<double> values = random_values(in.draws, num_elements * field.channels);
  if (field.name == "S")  // missing texels
    for (std::size_t texel = 0; texel < values.size(); texel += 2)
      if (in.draws.chance(0.2)) values[texel] = -std::numeric_limits<double>::infinity();
  if (field.type == ScalarType::Float)
    return expect(binding.set_field(field.name, std::vector<float>(values.begin(), values.end())));
  if (field.type == ScalarType::Int32)
    return expect(
        binding.set_field(field.name, std::vector<std::int32_t>(values.begin(), values.end())));
  expect(binding.set_field(field.name, std::move(values)));
}

void bind_maps(Draws& draws, const Extents& extents, Binding& binding) {
  const auto extent = [&](const char* dim) { return extents.at(dim); };
  std::vector<std::int32_t> v0 = random_map(draws, extent("E"), extent("N"));
  std::vector<std::int32_t> v1 = random_map(draws, extent("E"), extent("N"));
  for (std::size_t i = 0; i < v1.size(); ++i)
    if (draws.chance(0.3)) v1[i] = v0[i];
  std::vector<std::int32_t> far = random_map(draws, extent("E"), extent("N"));
  for (std::int32_t& value : far)
    if (draws.chance(0.3)) value = -1;
  std::vector<std::int32_t> pixel;
  for (std::int64_t i = 0; i < extent("F"); ++i) {
    pixel.push_back(draws.between(0, static_cast<int>(extent("W")) - 1));
    pixel.push_back(draws.between(0, static_cast<int>(extent("H")) - 1));
  }
  expect(binding.set_map("v0", std::move(v0)));
  expect(binding.set_map("v1", std::move(v1)));
  expect(binding.set_map("far", std::move(far)));
  expect(binding.set_map("edge", random_map(draws, extent("F"), extent("E"))));
  expect(binding.set_map("pixel", std::move(pixel)));
}

// Returns tiny data for an energy that the builder of `in` has made, no Problem. They lie close to
// multiples of Grid, so that differences of values stay clear of thresholds; some dims are empty.
Binding random_data(RandomInputs& in, const Energy& energy) {
  const Extents extents = random_extents(in.draws);
  Binding binding(energy);
  for (const auto& [name, extent] : extents) expect(binding.set_extent(name, extent));
  for (std::size_t i = 0; i < energy.fields().size(); ++i) {
    const Field& field = energy.fields()[i];
    if (field.kind == FieldKind::Intermediate) continue;
    bind_field(in, field, binding.num_elements(energy, FieldId(i)), binding);
  }
  bind_maps(in.draws, extents, binding);
  expect(binding.validate(energy));
  return binding;
}

class Generator {
 public:
  Generator(std::uint64_t seed, Kind kind) : in_(seed, kind), seed_(seed) {}

  RandomInputs& inputs() { return in_; }

  Energy make() {
    declare_intermediates();
    if (in_.is_problem()) fit_unknowns();
    // A Problem has a group for each unknown already, and the space of schedules grows faster than
    // exponentially with the number of groups.
    const int num_groups = in_.draws.between(1, in_.is_problem() ? 3 : 4);
    for (int g = 0; g < num_groups; ++g) add_group(g);
    add_exclusions();
    const LogCapture no_warnings;  // of inputs that happen not to be used
    Expected<Energy> energy = std::move(in_.e).build();
    if (!energy)
      throw InternalError(fmt::format("random energy {}: {}", seed_, energy.error().message()),
                          __FILE__, __LINE__);
    return *std::move(energy);
  }

 private:
  Vec intermediate_values(const Scope& scope) {
    std::vector<Expr> channels;
    const int count = in_.draws.between(1, 2);
    for (int c = 0; c < count; ++c) {
      const Expr more = random_expression(in_, scope, 2);
      const Expr factor = random_leaf(in_, scope);
      channels.push_back(in_.draws.pick(scope.unknowns)() * factor + more);
    }
    return Vec(channels);
  }

  void declare_intermediates() {
    const auto add = [&](std::vector<FieldHandle>& values, const std::string& name,
                         const Scope& scope) {
      values.push_back(in_.e.intermediate(name, scope.domains, intermediate_values(scope)));
    };
    const int count = in_.draws.between(0, 4);
    for (int i = 0; i < count; ++i) {
      const std::string name = fmt::format("T{}", i);
      const int kind = in_.draws.between(0, in_.is_local() ? 2 : 4);
      if (kind < 2 && !in_.images.empty()) {
        add(in_.image_values, name, image_scope(in_));
      } else if (kind <= 2 && !in_.points.empty()) {
        add(in_.point_values, name, point_scope(in_));
      } else if (kind == 3) {
        add(in_.single_values, name, global_scope(in_));
      } else if (kind == 4) {
        add(in_.kernel_values, name, kernel_scope(in_, in_.e.add_domain(in_.K, "t")));
      }
    }
  }

  // A group for each unknown, which keeps it near data.
  void fit_unknowns() {
    const auto fit = [&](const FieldHandle& unknown, const FieldHandle& data, const Scope& scope) {
      std::vector<IndexExpr> at;
      for (const DomainId domain : scope.domains) at.push_back(in_.index(domain));
      const double weight = Grid * in_.draws.between(1, 4);
      const std::string& name = in_.e.data().fields[unknown.id().index()].name;
      std::vector<Expr> residuals;
      for (const Expr& value : unknown.at(at))
        residuals.push_back(weight * (value - in_.any_channel(data.at(at))));
      in_.e.residual("fit_" + name, residuals);
    };
    for (const FieldHandle& field : in_.images) fit(field, *in_.image_data, image_scope(in_));
    for (const FieldHandle& field : in_.volumes) fit(field, *in_.layers, volume_scope(in_));
    for (const FieldHandle& field : in_.points) fit(field, *in_.point_data, point_scope(in_));
  }

  // The more often a kind is listed, the more often it is drawn.
  Scope problem_scope() {
    std::vector<Scope (*)(RandomInputs&)> kinds;
    if (!in_.images.empty()) kinds.insert(kinds.end(), 3, &image_scope);
    if (!in_.volumes.empty()) kinds.insert(kinds.end(), 2, &volume_scope);
    if (!in_.points.empty()) kinds.insert(kinds.end(), 1, &point_scope);
    if (!in_.corners.empty()) kinds.insert(kinds.end(), 3, &graph_scope);
    if (in_.edge) kinds.insert(kinds.end(), 2, &link_scope);
    return in_.draws.pick(kinds)(in_);
  }

  Scope group_scope() {
    if (in_.is_problem()) return problem_scope();
    const int kind =
        in_.is_local() ? in_.draws.pick(std::vector{0, 0, 3, 9}) : in_.draws.between(0, 10);
    if (kind < 3) return image_scope(in_);
    if (kind < 4) return point_scope(in_);
    if (kind < 7) return graph_scope(in_);
    if (kind < 9) return link_scope(in_);
    if (kind > 9) return product_scope(in_);
    return kernel_scope(in_, in_.draws.chance(0.5) ? in_.k : in_.e.add_domain(in_.K));
  }

  // Residuals of one group may be over different domains.
  Scope other_scope(Scope scope) {
    if (in_.is_problem() || !in_.draws.chance(0.15)) return scope;
    return in_.is_local() || in_.draws.chance(0.5) ? point_scope(in_) : graph_scope(in_);
  }

  Expr random_residual(const Scope& scope) {
    const Expr more = random_expression(in_, scope, 3);
    const Expr anchor = scope.anchor();
    const Expr residual = in_.draws.pick(scope.unknowns)() - 1.3 * anchor + more;
    if (!in_.draws.chance(0.3)) return residual;
    // A mask that is never true would leave nothing.
    const Expr mask = random_condition(in_, scope);
    return in_.e.graph().is_constant(in_.e.id_of(mask)) ? residual : mask * residual;
  }

  bool has_derivative(const Expr& e) {
    return UnknownDependence(in_.e.data()).derivative(in_.e.id_of(e));
  }

  void add_group(int number) {
    Scope scope = group_scope();
    std::vector<Expr> residuals;
    const int count = in_.draws.between(1, 3);
    for (int i = 0; i < count; ++i) {
      if (i > 0) scope = other_scope(std::move(scope));
      residuals.push_back(random_residual(scope));
    }
    // Where everything cancelled.
    if (std::ranges::none_of(residuals, [&](const Expr& r) { return has_derivative(r); }))
      residuals[0] = residuals[0] + in_.draws.pick(scope.unknowns)();
    const std::string name = fmt::format("r{}", number);
    in_.e.residual(name, residuals);
    if (in_.draws.chance(0.4)) add_loss(name);
  }

  void add_loss(const std::string& group) {
    const Expr param = in_.draws.pick(in_.params);
    const Expr scale =
        in_.draws.chance(0.5) ? Expr(Grid * in_.draws.between(1, 8)) : 0.5 + param * param;
    const std::span<const KnownLoss> known = known_losses();
    const auto which =
        static_cast<std::size_t>(in_.draws.between(0, static_cast<int>(known.size())));
    if (which < known.size()) return in_.e.loss(group, known[which].name, scale);
    // One that nobody knows: a part of each.
    in_.e.loss(group, [&](Expr s) {
      Expr rho = 0;
      for (const KnownLoss& one : known) rho = rho + one.rho(s, scale);
      return rho / static_cast<double>(known.size());
    });
  }

  void add_exclusions() {
    const auto add = [&](const FieldHandle& unknown, const FieldHandle& data,
                         Scope (*scope_of)(RandomInputs&)) {
      if (!in_.draws.chance(0.3)) return;
      const Scope scope = scope_of(in_);
      std::vector<IndexExpr> at;
      for (const DomainId domain : scope.domains) at.push_back(in_.index(domain));
      const double limit = in_.threshold();
      in_.e.exclude(unknown.id(), scope.domains, in_.any_channel(data.at(at)) < limit);
    };
    if (!in_.images.empty()) add(in_.images[0], *in_.image_data, &image_scope);
    if (!in_.points.empty()) add(in_.points[0], *in_.point_data, &point_scope);
  }

  RandomInputs in_;
  std::uint64_t seed_;
};

RandomEnergy make(std::uint64_t seed, Kind kind) {
  Generator generator(seed, kind);
  Energy energy = generator.make();
  Binding binding = random_data(generator.inputs(), energy);
  return {seed, std::move(energy), std::move(binding)};
}

// The extents where images, points, edges and links have about `num_points` points each.
Extents extents_of_size(const Energy& energy, double num_points, double aspect, int kernel) {
  const auto at_least_1 = [](double extent) {
    return std::max<std::int64_t>(1, std::llround(extent));
  };
  const std::int64_t width = at_least_1(std::sqrt(num_points * aspect));
  const Extents all = {{"W", width},
                       {"H", at_least_1(num_points / static_cast<double>(width))},
                       {"N", at_least_1(num_points / 2)},
                       {"E", at_least_1(num_points * 1.5)},
                       {"F", at_least_1(num_points / 3)},
                       {"K", kernel}};
  Extents extents;
  for (const Dim& dim : energy.dims()) extents[dim.name] = all.at(dim.name);
  return extents;
}

double num_residuals(const Energy& energy, const Extents& extents) {
  double count = 0;
  for (const ResidualGroup& group : energy.groups()) {
    double points = energy.num_residuals_per_point(group);
    for (const DomainId domain : group.domains) {
      const DimId dim = energy.graph().indices().domain(domain).dim;
      points *= static_cast<double>(extents.at(energy.dim(dim).name));
    }
    count += points;
  }
  return count;
}

}  // namespace
}  // namespace random_energy

RandomEnergy make_random_energy(std::uint64_t seed) {
  return random_energy::make(seed, random_energy::Kind::Everything);
}

RandomEnergy make_random_stencil_energy(std::uint64_t seed) {
  return random_energy::make(seed, random_energy::Kind::Stencils);
}

RandomProblem make_random_problem(std::uint64_t seed) {
  using namespace random_energy;
  Generator generator(seed, Kind::Problem);
  Energy energy = generator.make();
  Draws& draws = generator.inputs().draws;
  const double wanted = 25000 * std::pow(90000.0 / 25000.0, draws.uniform(0, 1));
  const double aspect = draws.uniform(0.6, 1.8);
  const int kernel = draws.between(3, 6);
  // The number of residuals is proportional to the number of points, but for rounding.
  constexpr double Some = 10000;
  const double per_point =
      num_residuals(energy, extents_of_size(energy, Some, aspect, kernel)) / Some;
  Extents extents = extents_of_size(energy, wanted / per_point, aspect, kernel);
  return {std::move(energy), std::move(extents), draws.chance(0.5)};
}

std::string RandomEnergy::text() const {
  std::string extents;
  for (std::size_t i = 0; i < energy.dims().size(); ++i)
    extents += fmt::format(" {} = {}", energy.dims()[i].name, binding.extents()[i]);
  return fmt::format("random energy {},{}\n{}", seed, extents, to_string(energy));
}

}  // namespace thallo
