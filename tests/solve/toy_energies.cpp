#include "tests/solve/toy_energies.h"

#include <cmath>
#include <cstdint>
#include <memory>
#include <utility>

#include "core/base/error.h"
#include "core/energy/builder.h"
#include "core/energy/evaluate/evaluator.h"

namespace thallo::test {
namespace {

template <class T>
T require(Expected<T> expected) {
  THALLO_ASSERT(expected, "{}", expected ? "" : expected.error().message());
  return *std::move(expected);
}
void require(Expected<void> expected) {
  THALLO_ASSERT(expected, "{}", expected ? "" : expected.error().message());
}

// Numbers without pattern in [-1, 1], the same in every run.
double noise(int i) { return std::sin(12.9898 * i + 78.233 * i * i); }

std::vector<double> noises(int count, int seed, double scale = 1, double offset = 0) {
  std::vector<double> values;
  for (int i = 0; i < count; ++i) values.push_back(offset + scale * noise(seed + i));
  return values;
}

std::vector<double> perturbed(std::vector<double> values, int seed, double scale) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] += scale * noise(seed + static_cast<int>(i));
  }
  return values;
}

Energy finish(EnergyBuilder& e) { return require(std::move(e).build()); }

}  // namespace

Toy make_smoothing(int n, bool excluded) {
  EnergyBuilder e("smoothing");
  const DimId dim = e.dim("N");
  const FieldHandle x = e.unknown("X", {dim});
  const FieldHandle a = e.array("A", {dim});
  const Expr weight = e.param("w");
  const IndexExpr i = e.domain(dim);
  e.residual("fit", weight * (x(i) - a(i)));
  e.residual("reg", select(e.in_bounds(i + 1), x(i + 1) - x(i), 0.0));
  if (excluded) {
    const FieldHandle mask = e.array("M", {dim});
    e.exclude(x.id(), {i.domain()}, equal(mask(i), 1.0));
  }
  Energy energy = finish(e);
  Binding binding(energy);
  require(binding.set_extent("N", n));
  require(binding.set_field("X", noises(n, 100)));
  require(binding.set_field("A", noises(n, 0, 5)));
  require(binding.set_param("w", 0.5));
  if (excluded) {
    std::vector<double> mask;
    for (int k = 0; k < n; ++k) mask.push_back(k % 3 == 1 ? 1 : 0);
    require(binding.set_field("M", std::move(mask)));
  }
  return {std::move(energy), std::move(binding)};
}

Toy make_two_spaces(int num_cameras, int num_points, int num_observations) {
  EnergyBuilder e("two_spaces");
  const DimId c = e.dim("C"), p = e.dim("P"), o = e.dim("O");
  const FieldHandle camera = e.unknown("camera", {c}, 3);
  const FieldHandle point = e.unknown("point", {p}, 2);
  const FieldHandle seen = e.array("seen", {o}, 2);
  const FieldHandle camera_prior = e.array("camera_prior", {c}, 3);
  const FieldHandle point_prior = e.array("point_prior", {p}, 2);
  const MapHandle to_camera = e.map("to_camera", {o}, {c});
  const MapHandle to_point = e.map("to_point", {o}, {p});
  const IndexExpr k = e.domain(o), i = e.domain(c), j = e.domain(p);
  const auto cam = camera(to_camera(k));
  const auto pt = point(to_point(k));
  const auto z = seen(k);
  // Rotate by cam[0], scale by 1 + cam[2]^2, shift by cam[1].
  const Expr cosine = cos(cam[0]), sine = sin(cam[0]), scale = 1.0 + cam[2] * cam[2];
  e.residual("project", Vec{scale * (cosine * pt[0] - sine * pt[1]) + cam[1] - z[0],
                            scale * (sine * pt[0] + cosine * pt[1]) - z[1]});
  e.residual("camera_prior", 0.1 * (camera(i) - camera_prior(i)));
  e.residual("point_prior", 0.1 * (point(j) - point_prior(j)));
  Energy energy = finish(e);

  Binding binding(energy);
  require(binding.set_extent("C", num_cameras));
  require(binding.set_extent("P", num_points));
  require(binding.set_extent("O", num_observations));
  const std::vector<double> cameras = noises(3 * num_cameras, 10, 0.3);
  const std::vector<double> points = noises(2 * num_points, 50);
  require(binding.set_field("camera_prior", cameras));
  require(binding.set_field("point_prior", points));
  require(binding.set_field("camera", perturbed(cameras, 90, 0.2)));
  require(binding.set_field("point", perturbed(points, 130, 0.5)));

  std::vector<std::int32_t> to_camera_of, to_point_of;
  std::vector<double> observations;
  for (int n = 0; n < num_observations; ++n) {
    const int cam_of = n % num_cameras, point_of = (n * 7 + n / num_cameras) % num_points;
    to_camera_of.push_back(cam_of);
    to_point_of.push_back(point_of);
    const double* v = &cameras[static_cast<std::size_t>(3 * cam_of)];
    const double* w = &points[static_cast<std::size_t>(2 * point_of)];
    const double grow = 1 + v[2] * v[2];
    observations.push_back(grow * (std::cos(v[0]) * w[0] - std::sin(v[0]) * w[1]) + v[1]);
    observations.push_back(grow * (std::sin(v[0]) * w[0] + std::cos(v[0]) * w[1]));
  }
  require(binding.set_field("seen", perturbed(observations, 200, 0.05)));
  require(binding.set_map("to_camera", to_camera_of));
  require(binding.set_map("to_point", to_point_of));
  return {std::move(energy), std::move(binding)};
}

Toy make_partly_excluded() {
  Toy toy = make_two_spaces(4, 60, 90);
  EnergyBuilder e("partly_excluded");
  const DimId c = e.dim("C"), p = e.dim("P"), o = e.dim("O");
  const auto camera = e.unknown("camera", {c}, 3);
  const auto point = e.unknown("point", {p}, 2);
  const auto held_camera = e.array("held_camera", {c}), held_point = e.array("held_point", {p});
  const auto seen = e.array("seen", {o}, 2);
  const auto to_camera = e.map("to_camera", {o}, {c}), to_point = e.map("to_point", {o}, {p});
  const IndexExpr k = e.domain(o), i = e.domain(c), j = e.domain(p);
  const auto cam = camera(to_camera(k)), pt = point(to_point(k));
  e.residual("project", Vec{pt[0] * cam[0] + cam[1] - seen(k)[0], pt[1] * cam[2] - seen(k)[1]});
  e.exclude(camera, {i}, held_camera(i) > 0.5);
  e.exclude(point, {j}, held_point(j) > 0.5);
  Energy energy = require(std::move(e).build());
  Binding binding(energy);
  for (const char* dim : {"C", "P", "O"})
    require(binding.set_extent(dim, toy.binding.extent(toy.energy.find_dim(dim))));
  for (const char* field : {"camera", "point", "seen"})
    require(binding.set_field(field, toy.binding.field(toy.energy.find_field(field))));
  for (const char* map : {"to_camera", "to_point"})
    require(binding.set_map(map, toy.binding.map(toy.energy.find_map(map))));
  std::vector<double> cameras(4), points(60);
  cameras[1] = 1;
  for (std::size_t n = 0; n < points.size(); n += 7) points[n] = 1;
  require(binding.set_field("held_camera", cameras));
  require(binding.set_field("held_point", points));
  return {std::move(energy), std::move(binding)};
}

Toy make_curve() {
  EnergyBuilder e("curve");
  const DimId n = e.dim("N"), one = e.dim("One");
  const FieldHandle b = e.unknown("b", {one}, 2);
  const FieldHandle x = e.array("x", {n}), y = e.array("y", {n});
  const IndexExpr i = e.domain(n);
  e.residual("fit", y(i) - b(0)[0] * (1.0 - exp(-b(0)[1] * x(i))));
  Energy energy = finish(e);
  Binding binding(energy);
  require(binding.set_extent("N", 6));
  require(binding.set_extent("One", 1));
  // BoxBOD of the NIST collection from its second start.
  require(binding.set_field("b", std::vector<double>{100, 0.75}));
  require(binding.set_field("x", std::vector<double>{1, 2, 3, 5, 7, 10}));
  require(binding.set_field("y", std::vector<double>{109, 149, 149, 191, 213, 224}));
  return {std::move(energy), std::move(binding)};
}

Toy make_unseen() {
  EnergyBuilder e("unseen");
  const DimId n = e.dim("N"), p = e.dim("P");
  const FieldHandle b = e.unknown("b", {p});
  const FieldHandle x = e.array("x", {n}), y = e.array("y", {n});
  const IndexExpr i = e.domain(n);
  e.residual("fit", y(i) - b(0) * x(i));
  Energy energy = finish(e);
  Binding binding(energy);
  require(binding.set_extent("N", 2));
  require(binding.set_extent("P", 5));
  require(binding.set_field("b", std::vector<double>{0, 1, 2, 3, 4}));
  require(binding.set_field("x", std::vector<double>{1, 2}));
  require(binding.set_field("y", std::vector<double>{3, 6}));
  return {std::move(energy), std::move(binding)};
}

Toy make_underdetermined() {
  EnergyBuilder e("underdetermined");
  const DimId n = e.dim("N"), p = e.dim("P");
  const FieldHandle x = e.unknown("x", {p});
  const FieldHandle y = e.array("y", {n});
  const IndexExpr i = e.domain(n);
  e.residual("line", x(0) + x(1) - y(i));
  Energy energy = finish(e);
  Binding binding(energy);
  require(binding.set_extent("N", 1));
  require(binding.set_extent("P", 2));
  require(binding.set_field("x", std::vector<double>{3, 1}));
  require(binding.set_field("y", std::vector<double>{1}));
  return {std::move(energy), std::move(binding)};
}

Toy make_distance() {
  EnergyBuilder e("distance");
  const DimId n = e.dim("N");
  const FieldHandle x = e.unknown("x", {n}, 2);
  const Vec at = x(e.domain(n));
  e.residual("length", sqrt(at[0] * at[0] + at[1] * at[1]) - 1.0);
  Energy energy = finish(e);
  Binding binding(energy);
  require(binding.set_extent("N", 1));
  require(binding.set_field("x", std::vector<double>{0, 0}));
  return {std::move(energy), std::move(binding)};
}

Toy make_root(double start) {
  EnergyBuilder e("root");
  const DimId n = e.dim("N");
  const FieldHandle x = e.unknown("x", {n});
  const Expr at = x(e.domain(n))[0];
  e.residual("square", at * at - 2.0);
  Energy energy = finish(e);
  Binding binding(energy);
  require(binding.set_extent("N", 1));
  require(binding.set_field("x", std::vector<double>{start}));
  return {std::move(energy), std::move(binding)};
}

Toy make_far_points() {
  EnergyBuilder e("far_points");
  const DimId n = e.dim("N"), one = e.dim("One");
  const FieldHandle k = e.unknown("k", {one});
  const FieldHandle p = e.array("p", {n}, 3);
  const IndexExpr i = e.domain(n);
  const Vec at = p(i);
  const Expr x = at[0] / at[2], y = at[1] / at[2];
  const Expr squared = x * x + y * y;
  e.residual("far", k(0) * x * squared * squared - 3.0);
  Energy energy = finish(e);
  Binding binding(energy);
  require(binding.set_extent("N", 2));
  require(binding.set_extent("One", 1));
  require(binding.set_field("k", std::vector<double>{0}));
  require(binding.set_field("p", std::vector<double>{1e5, 1e5, 1e5, 2e5, 2e5, 2e5}));
  return {std::move(energy), std::move(binding)};
}

DenseExecutable make_reference(const Energy& energy, const Binding& binding, bool jacobi) {
  const auto evaluator = std::make_shared<EnergyEvaluator>(energy, binding);
  const auto residuals = [evaluator](const std::vector<double>& x) {
    evaluator->set_unknowns(x);
    const Linearization at_x = evaluator->linearize();
    return DenseExecutable::Evaluation{at_x.residuals(), at_x.jacobian().to_dense()};
  };
  std::vector<double> free;
  for (const std::uint8_t excluded : evaluator->excluded()) free.push_back(excluded == 0 ? 1 : 0);
  return {residuals, unknowns_of(energy, binding), jacobi, free};
}

std::vector<double> unknowns_of(const Energy& energy, const Binding& binding) {
  return UnknownLayout(energy, binding).gather(binding);
}

}  // namespace thallo::test
