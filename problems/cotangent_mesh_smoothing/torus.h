// The generated input: a torus of ring radius 1 whose vertices were moved by noise, so that it is
// known what smoothing should find.
#pragma once

#include <array>
#include <cstdint>

#include "core/base/io/mesh.h"

namespace thallo::cotangent_mesh_smoothing {

inline constexpr double TubeRadius = 0.42;

// `around` vertices around the ring and half as many around the tube; `noise` is the standard
// deviation of each coordinate.
Mesh make_torus(int around, double noise, std::uint64_t seed);

// The distance of the point from the surface, positive outside.
double distance_to_torus(const std::array<double, 3>& point);

}  // namespace thallo::cotangent_mesh_smoothing
