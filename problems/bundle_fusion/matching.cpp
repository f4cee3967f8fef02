#include "problems/bundle_fusion/matching.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>

#include "core/base/random.h"

namespace thallo::bundle_fusion {
namespace {

// The depth in meters from which on the energy's max(0, 1 - z / 2) is 0.
constexpr double WeightlessDepth = 2;

constexpr double NoDepth = -std::numeric_limits<double>::infinity();

// The depth between four pixels. There is none unless they show one surface, that is, unless their
// depths differ by at most a twentieth.
double depth_between(const Image& depth, double x, double y) {
  if (!(x >= 0 && y >= 0 && x < depth.width - 1 && y < depth.height - 1)) return NoDepth;
  const int left = static_cast<int>(x);
  const int top = static_cast<int>(y);
  const double u = x - left;
  const double v = y - top;
  const std::array<double, 4> corners = {depth.at(left, top), depth.at(left + 1, top),
                                         depth.at(left, top + 1), depth.at(left + 1, top + 1)};
  const auto [least, most] = std::ranges::minmax(corners);
  if (!(least > 0) || most - least > 0.05 * least) return NoDepth;
  return (1 - v) * ((1 - u) * corners[0] + u * corners[1]) +
         v * ((1 - u) * corners[2] + u * corners[3]);
}

// A random pixel of the first frame, and what the second sees of it.
std::optional<Match> try_match(const DepthVideo& video, const FramePair& pair, Random& random) {
  constexpr double Agreement = 0.02;  // meters
  const DepthFrame& first = video.frames[static_cast<std::size_t>(pair[0])];
  const DepthFrame& second = video.frames[static_cast<std::size_t>(pair[1])];
  const int x = static_cast<int>(random.below(static_cast<std::uint64_t>(video.width())));
  const int y = static_cast<int>(random.below(static_cast<std::uint64_t>(video.height())));
  if (!(first.depth.at(x, y) > 0)) return std::nullopt;
  const Vector3 point = video.camera.point(x, y, first.depth.at(x, y));
  const Vector3 seen = inverse(second.pose).move(first.pose.move(point));
  if (!(seen[2] > 0)) return std::nullopt;
  const auto pixel = video.camera.pixel(seen);
  const double depth = depth_between(second.depth, pixel[0], pixel[1]);
  if (std::abs(depth - seen[2]) > Agreement) return std::nullopt;
  return Match{pair, {point, video.camera.point(pixel[0], pixel[1], depth)}};
}

bool is_in_range(double depth, const DenseRules& rules) {
  return depth > rules.min_depth && depth < rules.max_depth;
}

}  // namespace

std::vector<FramePair> make_pairs(int num_frames, int span) {
  std::vector<FramePair> pairs;
  for (int i = 0; i < num_frames; ++i) {
    const int end = span == 0 ? num_frames : std::min(num_frames, i + span + 1);
    for (int j = i + 1; j < end; ++j) pairs.push_back({i, j});
  }
  return pairs;
}

Expected<std::vector<Match>> make_matches(const DepthVideo& video, std::span<const FramePair> pairs,
                                          int count, std::uint64_t seed) {
  constexpr int TriesAPair = 200;  // in each round
  constexpr int MaxRounds = 50;
  Random random(seed);
  const auto wanted = static_cast<std::size_t>(count);
  std::vector<Match> matches;
  // Each round shares the matches that are still missing among all pairs.
  for (int round = 0; round < MaxRounds && matches.size() < wanted; ++round) {
    const std::size_t share = (wanted - matches.size() + pairs.size() - 1) / pairs.size();
    for (const FramePair& pair : pairs) {
      std::size_t found = 0;
      for (int k = 0; k < TriesAPair && found < share && matches.size() < wanted; ++k) {
        if (auto match = try_match(video, pair, random)) {
          matches.push_back(*match);
          ++found;
        }
      }
    }
  }
  if (matches.size() < wanted) {
    return fail("found {} points that two frames see, expected {} (option matches)", matches.size(),
                count);
  }
  std::ranges::stable_sort(matches, {}, &Match::frames);
  return matches;
}

std::int64_t count_matching(const Surfaces& surfaces, std::span<const FramePair> pairs,
                            std::span<const RigidMotion> poses, const DenseRules& rules) {
  std::int64_t count = 0;
  const int width = surfaces.points.front().width;
  const int height = surfaces.points.front().height;
  for (const FramePair& pair : pairs) {
    const auto target = static_cast<std::size_t>(pair[0]);
    const auto source = static_cast<std::size_t>(pair[1]);
    const RigidMotion to_target = inverse(poses[target]) * poses[source];
    for (int y = 0; y < height; ++y) {
      for (int x = 0; x < width; ++x) {
        const auto texel = [x, y](const Image& image) -> Vector3 {
          return {image.at(x, y, 0), image.at(x, y, 1), image.at(x, y, 2)};
        };
        const Vector3 normal = texel(surfaces.normals[source]);
        const Vector3 point = texel(surfaces.points[source]);
        if (!is_in_range(point[2], rules) || normal[0] == NoDepth) continue;
        const Vector3 moved = to_target.move(point);
        const auto [u, v] = surfaces.camera.pixel(moved);
        if (!(u >= -0.5 && u < width + 0.5 && v >= -0.5 && v < height + 0.5)) continue;
        const Vector3 there = sample(surfaces.points[target], u, v);
        const Vector3 normal_there = sample(surfaces.normals[target], u, v);
        if (!is_in_range(there[2], rules) || normal_there[0] == NoDepth) continue;
        if (there[2] >= WeightlessDepth) continue;
        const bool matches = dot(to_target.turn(normal), normal_there) >= rules.min_cosine &&
                             length(there - moved) <= rules.max_distance;
        count += matches ? 1 : 0;
      }
    }
  }
  return count;
}

}  // namespace thallo::bundle_fusion
