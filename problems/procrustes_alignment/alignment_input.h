// What procrustes_alignment works on: points, and for each the place where it should come to lie.
// Targets are made by moving the points, or read from a second mesh.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "core/base/diagnostic.h"
#include "core/base/io/mesh.h"
#include "core/base/vector3.h"

namespace thallo::procrustes_alignment {

// A rigid motion, which procrustes_alignment.lua has symbolically: it turns points about x, then y,
// then z by these angles (radians), then shifts them.
struct Motion {
  Vector3 angles{};
  Vector3 translation{};

  Vector3 operator()(const Vector3& point) const;
};

// The angle, in degrees, of the rotation that leads from a's rotation to b's. Comparing their three
// angles would say little, since different ones can mean the same rotation.
double degrees_between_rotations(const Motion& a, const Motion& b);

struct AlignmentInput {
  Mesh source;
  std::vector<double> targets;  // x y z a point; -infinity where it is not known
  std::optional<Motion> truth;  // the motion that made the targets

  bool known(std::size_t point) const;
  std::int64_t num_known() const;
};

struct TargetSpec {
  Motion motion;
  double noise = 0;    // standard deviation of each coordinate
  double missing = 0;  // the fraction of targets that are not known
  std::uint64_t seed = 1;
};

AlignmentInput move_points(Mesh source, const TargetSpec& spec);

// The targets are the vertices of the mesh in `path`, in their order. Errors name the file: an
// absent or damaged one, one with another number of vertices than the source.
Expected<AlignmentInput> read_targets(Mesh source, const std::filesystem::path& path);

// Root mean square distance of the moved points from the known targets; 0 where none is known.
double distance(const AlignmentInput& input, const Motion& motion);

}  // namespace thallo::procrustes_alignment
