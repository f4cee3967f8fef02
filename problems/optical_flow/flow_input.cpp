#include "problems/optical_flow/flow_input.h"

#include <utility>

#include "core/base/io/file.h"
#include "core/base/io/flo.h"
#include "core/base/io/picture.h"

namespace thallo::optical_flow {
namespace {

Expected<Image> of_size(Expected<Image> image, const std::filesystem::path& path,
                        const Image& first) {
  if (image && (image->width != first.width || image->height != first.height)) {
    return fail_at({path.string(), 0, 0}, "found {} x {} pixels, the first picture has {} x {}",
                   image->width, image->height, first.width, first.height);
  }
  return image;
}

}  // namespace

Expected<FlowInput> read_flow_input(const std::filesystem::path& first,
                                    const std::filesystem::path& second,
                                    const std::filesystem::path& truth) {
  FlowInput input;
  THALLO_TRY(const auto picture, read_image(first));
  input.first = to_rgb(picture);
  THALLO_TRY(const auto next, of_size(read_image(second), second, input.first));
  input.second = to_rgb(next);
  if (truth.empty()) return input;
  THALLO_TRY(input.truth, of_size(read_as<parse_flo>(truth), truth, input.first));
  return input;
}

}  // namespace thallo::optical_flow
