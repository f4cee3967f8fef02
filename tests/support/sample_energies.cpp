#include "tests/support/sample_energies.h"

#include <cmath>
#include <random>

#include "core/energy/vector_math.h"
#include "tests/support/energies.h"

namespace thallo::test {
namespace {

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  HostArray reals(std::size_t count, double low = -1, double high = 1) {
    std::uniform_real_distribution<double> uniform(low, high);
    std::vector<double> values(count);
    for (double& value : values) value = uniform(engine_);
    return values;
  }
  std::vector<std::int32_t> indices(std::size_t count, std::int32_t extent) {
    std::uniform_int_distribution<std::int32_t> uniform(0, extent - 1);
    std::vector<std::int32_t> values(count);
    for (std::int32_t& value : values) value = uniform(engine_);
    return values;
  }

 private:
  std::mt19937_64 engine_;
};

// Masked differences of neighbors under a rotation, two unknown fields in one space, border reads,
// exclusion.
SampleEnergy warp() {
  EnergyBuilder e("warp");
  const DimId W = e.dim("W");
  const DimId H = e.dim("H");
  const auto offset = e.unknown("Offset", {W, H}, 2);
  const auto angle = e.unknown("Angle", {W, H});
  const auto rest = e.array("Rest", {W, H}, 2);
  const auto mask = e.array("Mask", {W, H});
  const Expr weight = e.param("weight");
  const auto x = e.domain(W, "x");
  const auto y = e.domain(H, "y");
  const Expr active = equal(mask(x, y), 0);
  const auto regularize = [&](const std::string& name, int dx, int dy) {
    const Expr both = active && e.in_bounds(x + dx, W) && e.in_bounds(y + dy, H) &&
                      equal(mask(x + dx, y + dy), 0);
    const Expr a = angle(x, y);
    const Vec d = offset(x, y) - offset(x + dx, y + dy);
    const Vec u = rest(x, y) - rest(x + dx, y + dy);
    e.residual(name, Vec{select(both, weight * (d[0] - (cos(a) * u[0] - sin(a) * u[1])), 0.0),
                         select(both, weight * (d[1] - (sin(a) * u[0] + cos(a) * u[1])), 0.0)});
  };
  regularize("left", -1, 0);
  regularize("right", 1, 0);
  regularize("up", 0, -1);
  regularize("down", 0, 1);
  e.residual("fit",
             Vec{select(active, offset(x, y)[0] - 1.0, 0.0), select(active, offset(x, y)[1], 0.0)});
  for (const FieldHandle& unknown : {offset, angle}) e.exclude(unknown, {x, y}, !active);
  Energy energy = build(std::move(e));
  Random random(1);
  std::vector<double> masked(7 * 5, 0.0);
  for (const std::size_t i : {0u, 4u, 11u, 12u, 20u, 34u}) masked[i] = 1;
  Binding binding = bind(energy, {.extents = {{"W", 7}, {"H", 5}},
                                  .fields = {{"Offset", random.reals(70)},
                                             {"Angle", random.reals(35)},
                                             {"Rest", random.reals(70)},
                                             {"Mask", HostArray(masked)}},
                                  .params = {{"weight", 0.7}}});
  return {"warp", std::move(energy), std::move(binding)};
}

// Unguarded reads over the border; affine indices 2x+1 and x+k; powers by roots.
SampleEnergy border() {
  EnergyBuilder e("border");
  const DimId N = e.dim("N");
  const DimId K = e.dim("K");
  const auto u = e.unknown("u", {N});
  const auto f = e.array("f", {N});
  const auto x = e.domain(N, "x");
  const auto k = e.domain(K, "k");
  e.residual("smooth", Vec{Expr(u(x - 1)) - 2.0 * Expr(u(x)) + Expr(u(x + 1)) - Expr(f(x + 2))});
  e.residual("coarse", Vec{Expr(u(2 * k + 1)) * Expr(u(k + 1)) - Expr(f(k + 2))});
  const Expr sum = u(x + k);
  e.residual("pairs", Vec{exp(sum) + pow(2.0, sum) + pow(2 + sum, 2.5) * pow(2 + sum, -1.0 / 3)});
  Energy energy = build(std::move(e));
  Random random(2);
  Binding binding = bind(energy, {.extents = {{"N", 9}, {"K", 4}},
                                  .fields = {{"u", random.reals(9)}, {"f", random.reals(9)}}});
  return {"border", std::move(energy), std::move(binding)};
}

// Maps that alias (v0 = v1 at some edges), a nested map, two unknown spaces.
SampleEnergy graph() {
  EnergyBuilder e("graph");
  const DimId N = e.dim("N");
  const DimId E = e.dim("E");
  const DimId C = e.dim("C");
  const auto position = e.unknown("Position", {N}, 3);
  const auto camera = e.unknown("Camera", {C}, 2);
  const auto length = e.array("Length", {E});
  const auto v0 = e.map("v0", {E}, {N});
  const auto v1 = e.map("v1", {E}, {N});
  const auto seen_by = e.map("seen_by", {N}, {C});
  const auto edge = e.domain(E, "e");
  const auto node = e.domain(N, "n");
  const Vec d = position(v0(edge)) - position(v1(edge));
  e.residual("edges",
             Vec{sqrt(dot(d, d) + 0.1) - Expr(length(edge)), d[0] * camera(seen_by(v0(edge)))[0]});
  e.residual("nodes", Vec{camera(seen_by(node))[1] * position(node)[2] - 0.5});
  Energy energy = build(std::move(e));
  Random random(3);
  std::vector<std::int32_t> from = random.indices(14, 6);
  std::vector<std::int32_t> to = random.indices(14, 6);
  to[3] = from[3];
  to[8] = from[8];
  Binding binding =
      bind(energy, {.extents = {{"N", 6}, {"E", 14}, {"C", 2}},
                    .fields = {{"Position", random.reals(18)},
                               {"Camera", random.reals(4)},
                               {"Length", random.reals(14)}},
                    .maps = {{"v0", from}, {"v1", to}, {"seen_by", random.indices(6, 2)}}});
  return {"graph", std::move(energy), std::move(binding)};
}

// A Sum of unknowns inside a nonlinear residual with unknowns outside it, and a Sum in a Sum.
SampleEnergy sums() {
  EnergyBuilder e("sums");
  const DimId N = e.dim("N");
  const DimId K = e.dim("K");
  const auto u = e.unknown("u", {N});
  const auto w = e.unknown("w", {K});
  const auto a = e.array("a", {N});
  const auto x = e.domain(N, "x");
  const auto k = e.domain(K, "k");
  const auto j = e.domain(K, "j");
  const Expr convolution = e.sum({k}, Expr(w(k)) * Expr(u(x + k - 1)));
  e.residual("fit", Vec{Expr(u(x)) * convolution - Expr(a(x)), sin(convolution) * 0.3});
  e.residual("nested", Vec{e.sum({k}, Expr(w(k)) * e.sum({j}, Expr(w(j)) * Expr(a(x + j + k)))) +
                           Expr(u(x))});
  Energy energy = build(std::move(e));
  Random random(4);
  Binding binding = bind(
      energy, {.extents = {{"N", 8}, {"K", 3}},
               .fields = {{"u", random.reals(8)}, {"w", random.reals(3)}, {"a", random.reals(8)}}});
  return {"sums", std::move(energy), std::move(binding)};
}

// Named intermediates of intermediates, read across the border; a Sum inside one.
SampleEnergy intermediates() {
  EnergyBuilder e("intermediates");
  const DimId N = e.dim("N");
  const DimId K = e.dim("K");
  const auto u = e.unknown("u", {N});
  const auto a = e.array("a", {N});
  const auto x = e.domain(N, "x");
  const auto k = e.domain(K, "k");
  const auto first =
      e.intermediate("first", {x}, Vec{Expr(u(x)) * Expr(u(x + 1)) + 1.0, sin(Expr(u(x)))});
  const auto blurred =
      e.intermediate("blurred", {x}, Vec{e.sum({k}, first(x + k)[0] * Expr(a(k + 1)))});
  e.residual("shading", Vec{first(x)[0] - first(x + 1)[1], Expr(blurred(x)) - Expr(a(x)),
                            Expr(blurred(x - 1)) * Expr(u(x))});
  Energy energy = build(std::move(e));
  Random random(5);
  Binding binding = bind(energy, {.extents = {{"N", 7}, {"K", 3}},
                                  .fields = {{"u", random.reals(7)}, {"a", random.reals(7)}}});
  return {"intermediates", std::move(energy), std::move(binding)};
}

// A Sum that is one number for all points, and an intermediate of it that is one too. Its points
// fill a warp.
SampleEnergy total() {
  EnergyBuilder e("total");
  const DimId N = e.dim("N");
  const DimId M = e.dim("M");
  const auto u = e.unknown("u", {N});
  const auto v = e.unknown("v", {M}, 2);
  const auto a = e.array("a", {M});
  const auto x = e.domain(N, "x");
  const auto y = e.domain(M, "y");
  const Expr all = e.sum({y}, v(y)[0] * Expr(a(y)));
  const auto squared = e.intermediate("squared", std::vector<IndexExpr>{}, all * all * 0.01);
  e.residual("fit", Vec{Expr(squared()) * Expr(u(x)) - 1.0, Expr(u(x)) + all * 0.1});
  e.residual("near", Vec{v(y)[0] - Expr(a(y)), v(y)[1]});
  Energy energy = build(std::move(e));
  Random random(8);
  Binding binding =
      bind(energy,
           {.extents = {{"N", 3}, {"M", 33}},
            .fields = {{"u", random.reals(3)}, {"v", random.reals(66)}, {"a", random.reals(33)}}});
  return {"total", std::move(energy), std::move(binding)};
}

// Expressions that are equal up to a substitution: at shifted pixels under conditions, one in the
// other, behind maps, of which one is optional.
SampleEnergy shared() {
  EnergyBuilder e("shared");
  const DimId W = e.dim("W"), H = e.dim("H"), N = e.dim("N"), E = e.dim("E");
  const auto image = e.unknown("X", {W, H});
  const auto turn = e.unknown("T", {N}, 2);
  const auto depth = e.array("D", {W, H});
  const auto length = e.array("L", {E});
  const auto head = e.map("head", {E}, {N}), tail = e.map("tail", {E}, {N});
  const auto maybe = e.map("maybe", {E}, {N}, -1, true);
  const auto x = e.domain(W), y = e.domain(H), k = e.domain(E);
  const auto slope = [&](const IndexExpr& i, const IndexExpr& j) {
    return sin(Expr(image(i, j)) * Expr(image(i - 1, j))) * Expr(depth(i, j));
  };
  const auto light = [&](const IndexExpr& i, const IndexExpr& j) {
    return exp(slope(i, j) * 0.5) + slope(i, j);
  };
  e.residual("shading_x", e.in_bounds(x + 1) * (light(x + 1, y) - light(x, y)));
  e.residual("shading_y", (Expr(depth(x, y - 1)) > 0) * (light(x, y) - 2 * light(x, y - 1)));
  e.residual("slope", select(e.in_bounds(y + 1), slope(x, y + 1) - slope(x, y), Expr(image(x, y))));
  const auto rotated = [&](const IndexExpr& n) {
    const Expr a = turn(n)[0], b = turn(n)[1];
    return Vec{cos(a) * cos(b) * Expr(length(k)), (sin(a) * sin(b) + cos(a)) * Expr(length(k))};
  };
  e.residual("edge", rotated(head(k)) - rotated(tail(k)));
  e.residual("perhaps", e.in_bounds(maybe(k), N) * (rotated(maybe(k))[1] - Expr(length(k))));
  Energy energy = build(std::move(e));
  Random random(11);
  Binding binding = bind(energy, {.extents = {{"W", 6}, {"H", 5}, {"N", 4}, {"E", 9}},
                                  .fields = {{"X", random.reals(30)},
                                             {"T", random.reals(8)},
                                             {"D", random.reals(30)},
                                             {"L", random.reals(9, 0.5, 1.5)}},
                                  .maps = {{"head", random.indices(9, 4)},
                                           {"tail", random.indices(9, 4)},
                                           {"maybe", {-1, 0, 3, -1, 2, 1, 1, -1, 0}}}});
  return {"shared", std::move(energy), std::move(binding)};
}

// Robust losses of every kind; images and layers of images read between their texels.
SampleEnergy robust() {
  EnergyBuilder e("robust");
  const DimId N = e.dim("N"), W = e.dim("W"), H = e.dim("H"), L = e.dim("L");
  const auto u = e.unknown("u", {N}, 2);
  const auto image = e.array("image", {W, H}), dx = e.array("dx", {W, H}),
             dy = e.array("dy", {W, H});
  const auto layers = e.array("layers", {W, H, L}, 2);
  const auto a = e.param("a");
  const auto x = e.domain(N, "x");
  const Vec at = u(x) + 1.3;
  const Vec depth = e.sample_layer(layers.id(), at[0], at[1], e.value_of(x) - 1);
  e.residual("bright", e.sample(image.id(), dx.id(), dy.id(), at[0], at[1]) - 0.5);
  e.residual("deep", select(depth[0] > -1e9, depth * at, at));
  e.residual("step", u(x) - u(x + 1));
  e.residual("soft", u(x) * a);
  e.residual("near", u(x) - 0.4);
  e.residual("cut", 2 * u(x) - 0.7);
  e.loss("soft", "soft_l1", 0.3);
  e.loss("near", "arctan", a);
  e.loss("cut", "tukey", 1.1);
  e.loss("bright", "cauchy", 0.7);
  e.loss("deep", "geman_mcclure", 2 * a);
  e.loss("step", "huber", a);
  Energy energy = build(std::move(e));
  Random random(7);
  std::vector<double> texels = random.reals(3 * 4 * 2 * 2).to_doubles();
  for (std::size_t i = 0; i < texels.size(); i += 10) texels[i] = -HUGE_VAL;  // missing
  Binding binding = bind(energy, {.extents = {{"N", 5}, {"W", 3}, {"H", 4}, {"L", 2}},
                                  .fields = {{"u", random.reals(10)},
                                             {"image", random.reals(12)},
                                             {"dx", random.reals(12)},
                                             {"dy", random.reals(12)},
                                             {"layers", texels}},
                                  .params = {{"a", 0.6}}});
  return {"robust", std::move(energy), std::move(binding)};
}

// Poses: unknowns with more values than degrees of freedom next to a plain one, read through a map,
// an intermediate and a Sum; some are held.
SampleEnergy poses() {
  EnergyBuilder e("poses");
  const DimId N = e.dim("N");
  const DimId E = e.dim("E");
  const auto plane = e.unknown("plane", {N}, Manifold::SE2);
  const auto space = e.unknown("space", {N}, Manifold::SE3);
  const auto scale = e.unknown("scale", {N});
  const auto held = e.array("held", {N}, 1, -1, ScalarType::UInt8);
  const auto from = e.map("from", {E}, {N});
  const auto to = e.map("to", {E}, {N});
  const auto i = e.domain(N, "i");
  const auto k = e.domain(N, "k");
  const auto edge = e.domain(E, "edge");
  const Vec turned = e.intermediate("turned", {i},
                                    Vec{space(i)[0] + space(i)[3] * space(i)[6],
                                        space(i)[4] * space(i)[5] - Expr(scale(i))})(from(edge));
  const Vec a = plane(from(edge));
  const Vec b = plane(to(edge));
  e.residual("planar", Vec{cos(a[2]) * (b[0] - a[0]) + sin(a[2]) * (b[1] - a[1]) - 1.0,
                           b[2] - a[2] * turned[0]});
  e.residual("spatial", Vec{turned[1] * space(to(edge))[6], space(to(edge))[1] * space(to(edge))[4],
                            e.sum({k}, space(k)[2] * space(k)[5]) - plane(to(edge))[1]});
  e.exclude(space, {i}, equal(Expr(held(i)), 1.0));
  Energy energy = build(std::move(e));
  Random random(7);
  std::vector<double> rigid = random.reals(35).to_doubles();
  for (std::size_t n = 0; n < rigid.size(); n += 7) {
    const double length =
        std::hypot(std::hypot(rigid[n + 3], rigid[n + 4]), std::hypot(rigid[n + 5], rigid[n + 6]));
    for (std::size_t c = 3; c < 7; ++c) rigid[n + c] /= length;
  }
  Binding binding =
      bind(energy, {.extents = {{"N", 5}, {"E", 9}},
                    .fields = {{"plane", random.reals(15)},
                               {"space", rigid},
                               {"scale", random.reals(5)},
                               {"held", std::vector<std::uint8_t>{0, 1, 0, 0, 0}}},
                    .maps = {{"from", random.indices(9, 5)}, {"to", random.indices(9, 5)}}});
  return {"poses", std::move(energy), std::move(binding)};
}

// Unknowns in boxes: numbers for each channel, an array, excluded ones outside, and one without.
SampleEnergy bounded() {
  EnergyBuilder e("bounded");
  const DimId N = e.dim("N");
  const auto u = e.unknown("u", {N}, 2);
  const auto v = e.unknown("v", {N});
  const auto free = e.unknown("free", {N});
  const auto top = e.array("top", {N});
  const auto held = e.array("held", {N}, 1, -1, ScalarType::UInt8);
  const auto n = e.domain(N, "n");
  u.bounds(Vec{-0.2, -INFINITY}, 0.3);
  v.bounds(0, top(n));
  e.exclude(v, {n}, equal(Expr(held(n)), 1.0));
  e.residual("fit", u(n) * Expr(v(n)) - u(n + 1) + Expr(free(n)));
  e.residual("near", Vec{u(n)[0] - 1.0, u(n)[1] + 0.5, Expr(v(n)) - Expr(v(n - 1)),
                         Expr(free(n)) * u(n)[1]});
  Energy energy = build(std::move(e));
  Random random(8);
  Binding binding =
      bind(energy, {.extents = {{"N", 7}},
                    .fields = {{"u", random.reals(14)},
                               {"v", random.reals(7)},
                               {"free", random.reals(7)},
                               {"top", random.reals(7, 0, 0.5)},
                               {"held", std::vector<std::uint8_t>{0, 1, 0, 0, 0, 1, 0}}}});
  return {"bounded", std::move(energy), std::move(binding)};
}

// Rotations and directions, and operations of them.
SampleEnergy directions() {
  EnergyBuilder e("directions");
  const DimId N = e.dim("N");
  const auto turn = e.unknown("turn", {N}, Manifold::SO3);
  const auto axis = e.unknown("axis", {N}, Manifold::S2);
  const auto seen = e.array("seen", {N}, 3);
  const auto n = e.domain(N, "n");
  const Vec way = between(Manifold::SO3, turn(n), turn(n + 1));
  e.residual("way", select(e.in_bounds(n + 1), log(Manifold::SO3, way), Vec{0, 0, 0}));
  e.residual("seen", act(Manifold::SO3, turn(n), axis(n)) - seen(n));
  Energy energy = build(std::move(e));
  Random random(9);
  const auto of_length_1 = [&](std::size_t channels) {
    std::vector<double> values = random.reals(5 * channels).to_doubles();
    for (std::size_t i = 0; i < values.size(); i += channels) {
      double square = 0;
      for (std::size_t c = 0; c < channels; ++c) square += values[i + c] * values[i + c];
      for (std::size_t c = 0; c < channels; ++c) values[i + c] /= std::sqrt(square);
    }
    return values;
  };
  Binding binding = bind(
      energy,
      {.extents = {{"N", 5}},
       .fields = {{"turn", of_length_1(4)}, {"axis", of_length_1(3)}, {"seen", random.reals(15)}}});
  return {"directions", std::move(energy), std::move(binding)};
}

// Zero extents: a dim without points next to one with points.
SampleEnergy empty() {
  EnergyBuilder e("empty");
  const DimId N = e.dim("N");
  const DimId E = e.dim("E");
  const auto u = e.unknown("u", {N});
  const auto v = e.unknown("v", {E});
  const auto x = e.domain(N, "x");
  const auto y = e.domain(E, "y");
  e.residual("some", Vec{Expr(u(x)) - 1.0});
  e.residual("none", Vec{Expr(v(y)) * Expr(v(y))});
  Energy energy = build(std::move(e));
  Random random(6);
  Binding binding = bind(energy, {.extents = {{"N", 4}, {"E", 0}},
                                  .fields = {{"u", random.reals(4)}, {"v", random.reals(0)}}});
  return {"empty", std::move(energy), std::move(binding)};
}

}  // namespace

std::vector<SampleEnergy> sample_energies() {
  std::vector<SampleEnergy> result;
  result.push_back(warp());
  result.push_back(border());
  result.push_back(graph());
  result.push_back(sums());
  result.push_back(intermediates());
  result.push_back(total());
  result.push_back(shared());
  result.push_back(robust());
  result.push_back(poses());
  result.push_back(bounded());
  result.push_back(directions());
  result.push_back(empty());
  return result;
}

}  // namespace thallo::test
