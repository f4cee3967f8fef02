#include "core/energy/random/inputs.h"

#include <utility>

#include <fmt/format.h>

namespace thallo::random_energy {

RandomInputs::RandomInputs(std::uint64_t seed, Kind kind_of_energy)
    : kind(kind_of_energy), draws(seed), e(fmt::format("random_{}", seed)) {
  is_problem() ? declare_problem() : declare_everything();
}

void RandomInputs::declare_everything() {
  W = e.dim("W"), H = e.dim("H"), N = e.dim("N"), E = e.dim("E"), F = e.dim("F");
  K = e.dim("K");
  images.push_back(e.unknown("A", {W, H}, draws.between(1, 3)));
  if (draws.chance(0.5)) images.push_back(e.unknown("B", {W, H}, draws.between(1, 2)));
  points.push_back(e.unknown("P", {N}, draws.between(1, 3)));
  if (draws.chance(0.3)) points.push_back(e.unknown("Q", {N}));
  weights = e.unknown("Z", {K}, draws.between(1, 2));
  const int channels = draws.between(1, 2);
  image_data = e.array("I", {W, H}, channels);
  point_data =
      e.array("C", {N}, 2, -1, draws.chance(0.5) ? ScalarType::Float : ScalarType::Working);
  edge_data = e.array("D", {E});
  kernel = e.array("G", {K, N});
  link_data = e.array("M", {F}, 1, -1, ScalarType::Int32);
  layers = e.array("S", {W, H, K}, 2);
  image_dx = e.array("Ix", {W, H}, channels);
  image_dy = e.array("Iy", {W, H}, channels);
  params = {e.param("a"), e.param("b")};
  corners = {e.map("v0", {E}, {N}), e.map("v1", {E}, {N})};
  far = e.map("far", {E}, {N}, -1, true);
  edge = e.map("edge", {F}, {E});
  pixel = e.map("pixel", {F}, {W, H});
  k = e.add_domain(K, "k");
}

FieldHandle RandomInputs::add_array(const char* name, std::vector<DimId> dims, int channels) {
  return e.array(name, std::move(dims), channels, -1, ScalarType::Float);
}

void RandomInputs::declare_problem() {
  const bool has_image = draws.chance(0.65);
  const bool has_points = !has_image || draws.chance(0.5);
  const bool has_graph = has_points && draws.chance(0.8);
  if (has_image) declare_image();
  if (has_points) declare_points();
  if (has_graph) {
    E = e.dim("E");
    edge_data = add_array("D", {E});
    const int num_corners = draws.between(2, 4);
    for (int i = 0; i < num_corners; ++i) corners.push_back(e.map(fmt::format("v{}", i), {E}, {N}));
    if (draws.chance(0.3)) far = e.map("far", {E}, {N}, -1, true);
  }
  if (has_graph && draws.chance(0.4)) {
    F = e.dim("F");
    link_data = add_array("M", {F});
    edge = e.map("edge", {F}, {E});
    if (has_image) pixel = e.map("pixel", {F}, {W, H});
  }
  params = {e.param("a"), e.param("b")};
}

void RandomInputs::declare_image() {
  W = e.dim("W"), H = e.dim("H");
  images.push_back(e.unknown("A", {W, H}, draws.between(1, 3)));
  if (draws.chance(0.4)) images.push_back(e.unknown("B", {W, H}, draws.between(1, 2)));
  image_data = add_array("I", {W, H}, draws.between(1, 3));
  if (draws.chance(0.4)) mask = e.array("Mask", {W, H}, 1, -1, ScalarType::UInt8);
  if (draws.chance(0.5)) return;
  K = e.dim("K");
  kernel = add_array("G", {K});
  k = e.add_domain(K, "k");
  if (draws.chance(0.5)) return;
  volumes.push_back(e.unknown("V", {W, H, K}, draws.between(1, 2)));
  layers = add_array("S", {W, H, K});
}

void RandomInputs::declare_points() {
  N = e.dim("N");
  points.push_back(e.unknown("P", {N}, draws.between(1, 3)));
  if (draws.chance(0.3)) points.push_back(e.unknown("Q", {N}));
  point_data = add_array("C", {N}, 2);
}

}  // namespace thallo::random_energy
