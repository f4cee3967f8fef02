// Energies whose unknowns are over a grid.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "core/energy/builder.h"
#include "tests/support/energies.h"

namespace thallo::test {

// Neighbors in an image of W x H pixels with two unknowns want to be alike, up to a turn by the
// first unknown; the second one is excluded where `held` is 1. Residuals read `reach` pixels to the
// right.
inline Energy image_energy(int reach = 1) {
  EnergyBuilder e("image");
  const DimId w = e.dim("W"), h = e.dim("H");
  const auto angle = e.unknown("angle", {w, h}, 1);
  const auto color = e.unknown("color", {w, h}, 2);
  const auto wanted = e.array("wanted", {w, h}, 2);
  const auto held = e.array("held", {w, h});
  const IndexExpr x = e.domain(w), y = e.domain(h);
  const auto a = angle(x, y), c = color(x, y);
  const auto right = color(x + reach, y), below = color(x, y + 1);
  e.residual("fit", Vec{0.1 * (c[0] - wanted(x, y)[0]), 0.1 * (c[1] - wanted(x, y)[1])});
  e.residual("smooth", Vec{right[0] - c[0] - cos(a), right[1] - c[1] - sin(a),
                           below[0] - c[0] + sin(a), below[1] - c[1] - cos(a),
                           0.2 * (angle(x + 1, y) - a), 0.2 * (angle(x, y + 1) - a)});
  e.exclude(color, {x, y}, held(x, y) > 0.5);
  return build(std::move(e));
}

inline constexpr std::array LatticeDims = {"X", "Y", "Z"};

// Scalars want to be like their neighbors in each of the dims, and a little like those of an array.
inline Energy lattice_energy(std::size_t num_dims, double weight_of_fit) {
  EnergyBuilder e("lattice");
  std::vector<DimId> dims;
  std::vector<IndexExpr> here;
  for (std::size_t d = 0; d < num_dims; ++d) {
    dims.push_back(e.dim(LatticeDims[d]));
    here.push_back(e.domain(dims.back()));
  }
  const auto u = e.unknown("u", dims);
  const auto wanted = e.array("wanted", dims);
  const auto read = [&](const auto& field, const std::vector<IndexExpr>& at) {
    return num_dims == 1   ? field(at[0])
           : num_dims == 2 ? field(at[0], at[1])
                           : field(at[0], at[1], at[2]);
  };
  e.residual("fit", weight_of_fit * (read(u, here) - read(wanted, here)));
  for (std::size_t d = 0; d < num_dims; ++d) {
    std::vector<IndexExpr> next = here;
    next[d] = next[d] + 1;
    e.residual(std::string("along_") + LatticeDims[d], read(u, next) - read(u, here));
  }
  return build(std::move(e));
}

}  // namespace thallo::test
