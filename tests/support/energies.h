// Small helpers to build and bind energies in tests; failures are reported as test failures.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/energy/binding.h"
#include "core/energy/builder.h"
#include "core/energy/energy.h"

namespace thallo::test {

inline Energy build(EnergyBuilder&& builder) {
  Expected<Energy> energy = std::move(builder).build();
  if (!energy) throw InternalError(energy.error().message(), __FILE__, __LINE__);
  return *std::move(energy);
}

// The residuals r of an image's column, over (H, W), all read its one unknown, X over W.
inline Energy columns_energy() {
  EnergyBuilder e("columns");
  const DimId H = e.dim("H"), W = e.dim("W");
  const auto X = e.unknown("X", {W});
  const auto A = e.array("A", {H, W});
  const IndexExpr y = e.domain(H, "y"), x = e.domain(W, "x");
  e.residual("r", X(x) - A(y, x));
  return build(std::move(e));
}

// A residual that reads the unknown at many places, outside of it and the same more than once, in a
// Sum over K and beside it: of tiny N its J has more entries than rows times columns.
inline Energy wide_energy() {
  EnergyBuilder e("wide");
  const DimId N = e.dim("N"), K = e.dim("K");
  const auto X = e.unknown("X", {N});
  const auto T = e.array("T", {K});
  const IndexExpr n = e.domain(N, "n"), k = e.domain(K, "k");
  e.residual("r", X(n - 1) * X(n + 1) + X(n) + e.sum({k}, T(k) * X(n + k) * X(n + k)));
  return build(std::move(e));
}

// Points over W that each read two neighboring cells of a grid of unknowns, and have many others in
// the same cells.
inline Energy cells_energy() {
  EnergyBuilder e("cells");
  const DimId W = e.dim("W"), C = e.dim("C");
  const auto X = e.unknown("X", {C}, 3);
  const auto A = e.array("A", {W}, 3);
  const auto cell = e.map("cell", {W}, {C});
  const IndexExpr w = e.domain(W, "w");
  e.residual("r", A(w)[0] * X(cell(w)) + A(w)[1] * X(cell(w) + 1) - A(w));
  return build(std::move(e));
}

// Names with their data, checked when it is bound.
struct Data {
  std::vector<std::pair<std::string, std::int64_t>> extents;
  std::vector<std::pair<std::string, HostArray>> fields;
  std::vector<std::pair<std::string, std::vector<std::int32_t>>> maps;
  std::vector<std::pair<std::string, double>> params;
};

inline Binding bind(const Energy& energy, const Data& data) {
  Binding binding(energy);
  const auto expect = [](const Expected<void>& done) {
    if (!done) throw InternalError(done.error().message(), __FILE__, __LINE__);
  };
  for (const auto& [name, extent] : data.extents) expect(binding.set_extent(name, extent));
  for (const auto& [name, values] : data.fields) expect(binding.set_field(name, values));
  for (const auto& [name, values] : data.maps) expect(binding.set_map(name, values));
  for (const auto& [name, value] : data.params) expect(binding.set_param(name, value));
  expect(binding.validate(energy));
  return binding;
}

inline Binding bind_cells(const Energy& energy, std::int32_t points, std::int32_t cells) {
  Data data{.extents = {{"W", points}, {"C", cells}},
            .fields = {{"X", std::vector<double>(static_cast<std::size_t>(3 * cells))},
                       {"A", std::vector<double>(static_cast<std::size_t>(3 * points), 0.5)}},
            .maps = {{"cell", {}}}};
  for (std::int32_t w = 0; w < points; ++w) data.maps[0].second.push_back(w % (cells - 1));
  return bind(energy, data);
}

inline Binding bind_wide(const Energy& energy) {
  return bind(energy, {.extents = {{"N", 2}, {"K", 5}},
                       .fields = {{"X", std::vector{0.9, -0.7}},
                                  {"T", std::vector{0.8, 0.3, 0.6, -0.4, 0.5}}}});
}

}  // namespace thallo::test
