// What one instance of bundle_fusion aligns: a video at the size of the alignment, which frames are
// compared with which, matches between single points, and poses that are wrong by a known amount.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "core/base/diagnostic.h"
#include "problems/bundle_fusion/depth_video.h"
#include "problems/bundle_fusion/matching.h"
#include "problems/bundle_fusion/rigid.h"

namespace thallo::bundle_fusion {

struct InputOptions {
  std::filesystem::path folder;  // empty: the made room, filmed at twice the width
  int frames = 11;
  int width = 40;
  int span = 0;
  int matches = 2000;
  double rotation_error = 2;      // of the start, degrees a frame
  double translation_error = 50;  // of the start, millimeters a frame
  std::uint64_t seed = 1;
};

struct FusionInput {
  DepthVideo video;
  Surfaces surfaces;
  std::vector<FramePair> pairs;
  std::vector<Match> matches;  // made before the video was reduced to `width`
  std::vector<RigidMotion> truth;
  std::vector<RigidMotion> start;  // the truth, all but the first turned and shifted at random
};

Expected<FusionInput> make_input(const InputOptions& options);

}  // namespace thallo::bundle_fusion
