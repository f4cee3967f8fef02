#include "problems/procrustes_alignment/alignment_input.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numbers>
#include <utility>

#include "core/base/mesh.h"
#include "core/base/random.h"

namespace thallo::procrustes_alignment {
namespace {

using Rows = std::array<Vector3, 3>;

// Rz Ry Rx.
Rows rotation(const Vector3& angles) {
  const auto [ca, cb, cg] = Vector3{std::cos(angles[0]), std::cos(angles[1]), std::cos(angles[2])};
  const auto [sa, sb, sg] = Vector3{std::sin(angles[0]), std::sin(angles[1]), std::sin(angles[2])};
  return {{{cg * cb, cg * sb * sa - sg * ca, cg * sb * ca + sg * sa},
           {sg * cb, sg * sb * sa + cg * ca, sg * sb * ca - cg * sa},
           {-sb, cb * sa, cb * ca}}};
}

}  // namespace

Vector3 Motion::operator()(const Vector3& point) const {
  const Rows rows = rotation(angles);
  return translation + Vector3{dot(rows[0], point), dot(rows[1], point), dot(rows[2], point)};
}

double degrees_between_rotations(const Motion& a, const Motion& b) {
  // |A - B| = 2 sqrt(2) sin(angle / 2), which keeps the digits of small angles.
  const Rows first = rotation(a.angles);
  const Rows second = rotation(b.angles);
  double squares = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t k = 0; k < 3; ++k) squares += std::pow(first[i][k] - second[i][k], 2);
  }
  const double sine = std::min(1.0, std::sqrt(squares / 8));
  return 2 * std::asin(sine) * 180 / std::numbers::pi;
}

bool AlignmentInput::known(std::size_t point) const { return std::isfinite(targets[3 * point]); }

std::int64_t AlignmentInput::num_known() const {
  std::int64_t count = 0;
  for (std::size_t n = 0; n < source.positions.size(); ++n) count += known(n) ? 1 : 0;
  return count;
}

AlignmentInput move_points(Mesh source, const TargetSpec& spec) {
  Random random(spec.seed);
  AlignmentInput input{.source = std::move(source), .truth = spec.motion};
  input.targets.reserve(3 * input.source.positions.size());
  for (const auto& p : input.source.positions) {
    Vector3 target = spec.motion(p);
    for (double& c : target) c += spec.noise * random.normal();
    if (random.uniform() < spec.missing) target.fill(-std::numeric_limits<double>::infinity());
    input.targets.insert(input.targets.end(), target.begin(), target.end());
  }
  return input;
}

Expected<AlignmentInput> read_targets(Mesh source, const std::filesystem::path& path) {
  THALLO_TRY(const auto target, read_mesh(path));
  if (target.positions.size() != source.positions.size()) {
    return fail_at({path.string(), 0, 0},
                   "found {} vertices, the mesh that is aligned has {}; a target belongs to each",
                   target.positions.size(), source.positions.size());
  }
  return AlignmentInput{
      .source = std::move(source), .targets = coordinates(target.positions), .truth = std::nullopt};
}

double distance(const AlignmentInput& input, const Motion& motion) {
  double squares = 0;
  for (std::size_t n = 0; n < input.source.positions.size(); ++n) {
    if (!input.known(n)) continue;
    const Vector3 moved = motion(input.source.positions[n]);
    for (std::size_t c = 0; c < 3; ++c) squares += std::pow(moved[c] - input.targets[3 * n + c], 2);
  }
  const std::int64_t count = input.num_known();
  return count == 0 ? 0 : std::sqrt(squares / static_cast<double>(count));
}

}  // namespace thallo::procrustes_alignment
