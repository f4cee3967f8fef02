// What procrustes_alignment works on: points, and for each the place where it should come to lie.
// Targets are made by moving the points, or read from a second mesh.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "core/base/diagnostic.h"
#include "core/base/io/mesh.h"
#include "problems/procrustes_alignment/motion.h"

namespace thallo::procrustes_alignment {

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
