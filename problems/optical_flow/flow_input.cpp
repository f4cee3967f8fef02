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
  const auto picture = read_image(first);
  if (!picture) return fail(picture.error());
  input.first = to_rgb(*picture);
  const auto next = of_size(read_image(second), second, input.first);
  if (!next) return fail(next.error());
  input.second = to_rgb(*next);
  if (truth.empty()) return input;
  auto flow = of_size(read_as<parse_flo>(truth), truth, input.first);
  if (!flow) return fail(flow.error());
  input.truth = *std::move(flow);
  return input;
}

}  // namespace thallo::optical_flow
