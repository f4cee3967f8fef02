// What of a scene cannot be seen in its result: mistakes of the program that made the file.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/base/diagnostic.h"
#include "problems/bundle_adjustment/reconstruction.h"

namespace thallo::bundle_adjustment {

// Names of images and points as their file counts them.
struct SceneNames {
  std::string camera(std::int32_t image) const;
  std::string point(std::int32_t point) const;

  std::vector<std::int64_t> image_ids, point_ids;  // of COLMAP; empty: they are counted from 0
};
SceneNames names_of(const SceneSource& source);

// Fails if a point is in the plane of a camera that sees it.
Expected<void> check_scene(const std::filesystem::path& file, const Reconstruction& scene,
                           const SceneNames& names);

// One sentence each, beginning in lower case: no observations, cameras and points that none names,
// points behind a camera that sees them, parts of the scene that share no point.
std::vector<std::string> doubts_of(const Reconstruction& scene, const SceneNames& names);

}  // namespace thallo::bundle_adjustment
