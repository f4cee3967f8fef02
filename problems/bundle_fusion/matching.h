// Chooses which frames are compared, and what in them: sparse matches, made from the depths and the
// reference poses in place of a feature matcher, and the test that a pair of pixels passes to count
// in dense alignment.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/diagnostic.h"
#include "problems/bundle_fusion/depth_video.h"

namespace thallo::bundle_fusion {

// Frames i < j, sorted; j - i <= span, or all pairs when span is 0.
using FramePair = std::array<int, 2>;
std::vector<FramePair> make_pairs(int num_frames, int span);

// One point in space, seen in two frames; the points are in the spaces of their cameras.
struct Match {
  FramePair frames;
  std::array<Vector3, 2> points;
};

// `count` matches, spread evenly over the pairs that see the same, sorted by pair. A pixel of the
// first frame of a pair is projected into the second, and kept if the depths agree there within two
// centimeters. Fails if too few agree.
Expected<std::vector<Match>> make_matches(const DepthVideo& video, std::span<const FramePair> pairs,
                                          int count, std::uint64_t seed);

// The params of the energy that say which pixels match.
struct DenseRules {
  double min_depth = 0.1;  // meters
  double max_depth = 4;
  double min_cosine = 0.97;    // between normals
  double max_distance = 0.15;  // meters, between points
};

// What the energy compares: an image of points and one of normals for each frame, and the camera
// that sees them.
struct Surfaces {
  Intrinsics camera;
  std::vector<Image> points;
  std::vector<Image> normals;
};

// How many pixels of the second frames of pairs match what the first frames see, by the test of
// bundle_fusion.lua, with a weight that is not 0.
std::int64_t count_matching(const Surfaces& surfaces, std::span<const FramePair> pairs,
                            std::span<const RigidMotion> poses, const DenseRules& rules);

}  // namespace thallo::bundle_fusion
