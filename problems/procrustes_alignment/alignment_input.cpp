#include "problems/procrustes_alignment/alignment_input.h"

#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

#include "core/base/mesh.h"
#include "core/base/random.h"

namespace thallo::procrustes_alignment {

bool AlignmentInput::known(std::size_t point) const { return std::isfinite(targets[3 * point]); }

std::int64_t AlignmentInput::num_known() const {
  std::int64_t count = 0;
  for (std::size_t n = 0; n < source.positions.size(); ++n) count += known(n) ? 1 : 0;
  return count;
}

AlignmentInput move_points(Mesh source, const TargetSpec& spec) {
  Random random(spec.seed);
  AlignmentInput input{.source = std::move(source), .targets = {}, .truth = spec.motion};
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
  const auto target = read_mesh(path);
  if (!target) return fail(target.error());
  if (target->positions.size() != source.positions.size()) {
    return fail_at({path.string(), 0, 0},
                   "found {} vertices, the mesh that is aligned has {}; a target belongs to each",
                   target->positions.size(), source.positions.size());
  }
  return AlignmentInput{.source = std::move(source),
                        .targets = coordinates(target->positions),
                        .truth = std::nullopt};
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
