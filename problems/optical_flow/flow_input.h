// What optical_flow works on: two pictures of a moving scene, and where it is known, the motion.
#pragma once

#include <filesystem>
#include <optional>

#include "core/base/diagnostic.h"
#include "core/base/io/image.h"

namespace thallo::optical_flow {

struct FlowInput {
  Image first, second;         // RGB, of one size
  std::optional<Image> truth;  // two channels, in pixels; beyond UnknownFlow where it is unknown

  int width() const { return first.width; }
  int height() const { return first.height; }
};

// `truth` may be empty, else a .flo. Errors name the file: an absent or damaged one, one of another
// size than the first picture.
Expected<FlowInput> read_flow_input(const std::filesystem::path& first,
                                    const std::filesystem::path& second,
                                    const std::filesystem::path& truth);

}  // namespace thallo::optical_flow
