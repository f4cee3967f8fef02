#include "problems/bundle_fusion/fusion_input.h"

#include <cstddef>
#include <numbers>
#include <utility>

#include "core/base/random.h"
#include "problems/bundle_fusion/room.h"
#include "problems/bundle_fusion/video_reader.h"

namespace thallo::bundle_fusion {
namespace {

Expected<DepthVideo> read_or_make(const InputOptions& options) {
  if (options.folder.empty()) {
    return make_room({.frames = options.frames, .width = 2 * options.width, .seed = options.seed});
  }
  auto video = read_depth_video(options.folder, options.frames);
  if (video && video->width() < options.width) {
    return fail_at({options.folder.string(), 0, 0},
                   "the depth maps have {} pixels in width, but width is {}", video->width(),
                   options.width);
  }
  return video;
}

Vector3 random_direction(Random& random) {
  const Vector3 v = {random.normal(), random.normal(), random.normal()};
  return 1 / length(v) * v;
}

std::vector<RigidMotion> perturbed(std::vector<RigidMotion> poses, const InputOptions& options) {
  const double angle = options.rotation_error * std::numbers::pi / 180;
  Random random(options.seed);
  for (std::size_t f = 1; f < poses.size(); ++f) {
    const RigidMotion turn = exponential({angle * random_direction(random), {}});
    poses[f].rotation = (poses[f] * turn).rotation;
    poses[f].translation =
        poses[f].translation + options.translation_error / 1000 * random_direction(random);
  }
  return poses;
}

}  // namespace

Expected<FusionInput> make_input(const InputOptions& options) {
  THALLO_TRY(const auto video, read_or_make(options));
  FusionInput input;
  input.pairs = make_pairs(video.num_frames(), options.span);
  THALLO_TRY(input.matches, make_matches(video, input.pairs, options.matches, options.seed));
  input.video = reduced(video, options.width);
  input.surfaces.camera = input.video.camera;
  for (int f = 0; f < input.video.num_frames(); ++f) {
    input.surfaces.points.push_back(points_of(input.video, f));
    input.surfaces.normals.push_back(normals_of(input.surfaces.points.back()));
    input.truth.push_back(input.video.frames[static_cast<std::size_t>(f)].pose);
  }
  input.start = perturbed(input.truth, options);
  return input;
}

}  // namespace thallo::bundle_fusion
