// An energy with every kind of access, and data for it: what the tests of backends run.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "core/kernel/lower.h"
#include "tests/support/energies.h"

namespace thallo::test {

inline const ProgramOptions Damped{SolverKind::LevenbergMarquardt, block_jacobi_preconditioner(),
                                   pcg_solver()};

// Springs between vertices, an anchor on every pixel of a grid, and one scale all residuals share:
// scatters through a map, along a grid and to a single element.
inline Energy springs() {
  EnergyBuilder e("springs");
  const DimId V = e.dim("V"), E = e.dim("E"), W = e.dim("W"), H = e.dim("H"), one = e.dim("one");
  const auto x = e.unknown("x", {V}, 2);
  const auto u = e.unknown("u", {W, H});
  const auto scale = e.unknown("scale", {one});
  const auto rest = e.array("rest", {E}, 2);
  const auto target = e.array("target", {W, H});
  const auto bytes = e.array("bytes", {W, H}, 1, -1, ScalarType::UInt8);
  const auto weight = e.param("weight");
  const auto ends = e.map("ends", {E}, {V});
  const auto tails = e.map("tails", {E}, {V});
  const auto edge = e.domain(E);
  const auto i = e.domain(W), j = e.domain(H);
  const Vec d = x(ends(edge)) - x(tails(edge));
  e.residual("spring", Vec{scale(0) * d[0] - rest(edge)[0], d[1] - rest(edge)[1]});
  e.residual("smooth", select(e.in_bounds(i + 1, W), weight * (u(i + 1, j) - u(i, j)), 0.0));
  e.residual("anchor", u(i, j) - target(i, j) * bytes(i, j));
  return build(std::move(e));
}

struct SpringSizes {
  std::int64_t vertices, edges, width, height;
};

inline Binding bind_springs(const Energy& energy, const SpringSizes& s) {
  std::mt19937 random(11);
  const auto reals = [&](std::int64_t count) {
    std::uniform_real_distribution<double> uniform(-1, 1);
    std::vector<double> values(static_cast<std::size_t>(count));
    for (double& value : values) value = uniform(random);
    return HostArray(values);
  };
  const auto vertices = [&] {
    std::vector<std::int32_t> values(static_cast<std::size_t>(s.edges));
    for (std::int32_t& value : values) {
      value = static_cast<std::int32_t>(random() % static_cast<unsigned>(s.vertices));
    }
    return values;
  };
  std::vector<std::uint8_t> bytes(static_cast<std::size_t>(s.width * s.height));
  for (std::uint8_t& value : bytes) value = static_cast<std::uint8_t>(random() % 3);
  return bind(
      energy,
      {.extents = {{"V", s.vertices}, {"E", s.edges}, {"W", s.width}, {"H", s.height}, {"one", 1}},
       .fields = {{"x", reals(2 * s.vertices)},
                  {"u", reals(s.width * s.height)},
                  {"scale", std::vector<double>{1.5}},
                  {"rest", reals(2 * s.edges)},
                  {"target", reals(s.width * s.height)},
                  {"bytes", bytes}},
       .maps = {{"ends", vertices()}, {"tails", vertices()}},
       .params = {{"weight", 0.7}}});
}

}  // namespace thallo::test
