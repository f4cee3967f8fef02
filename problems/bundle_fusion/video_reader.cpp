#include "problems/bundle_fusion/video_reader.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "core/base/io/file.h"
#include "core/base/io/image.h"
#include "core/base/io/picture.h"
#include "core/base/parse_number.h"

namespace thallo::bundle_fusion {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view Prefix = "frame-";
constexpr std::string_view DepthSuffix = ".depth.png";

// The number in "frame-NUMBER.depth.png".
std::optional<std::int64_t> frame_number(std::string_view name) {
  if (!name.starts_with(Prefix) || !name.ends_with(DepthSuffix)) return std::nullopt;
  name.remove_prefix(Prefix.size());
  name.remove_suffix(DepthSuffix.size());
  return parse_number<std::int64_t>(name);
}

// Paths without ".depth.png", by number.
Expected<std::map<std::int64_t, std::string>> find_frames(const fs::path& folder) {
  std::error_code error;
  std::map<std::int64_t, std::string> frames;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    const auto number = frame_number(it->path().filename().string());
    if (!number) continue;
    std::string path = it->path().string();
    path.resize(path.size() - DepthSuffix.size());
    frames.emplace(*number, std::move(path));
  }
  if (error) return fail_at({folder.string(), 0, 0}, "{}", error.message());
  return frames;
}

// The numbers of a file, which must be `count` finite ones, separated by white space.
Expected<std::vector<double>> read_numbers(const fs::path& path, std::size_t count) {
  THALLO_TRY(const auto content, read_file(path));
  constexpr std::string_view Space = " \t\r\n";
  std::vector<double> numbers;
  std::string_view rest = content;
  int line = 1;
  while (true) {
    const std::size_t begin = std::min(rest.find_first_not_of(Space), rest.size());
    line += static_cast<int>(std::ranges::count(rest.substr(0, begin), '\n'));
    rest.remove_prefix(begin);
    if (rest.empty()) break;
    const std::string_view word = rest.substr(0, rest.find_first_of(Space));
    const auto number = parse_number<double>(word);
    if (!number || !std::isfinite(*number)) {
      return fail_at({path.string(), line, 0}, "found '{}', expected a number", word);
    }
    numbers.push_back(*number);
    rest.remove_prefix(word.size());
  }
  if (numbers.size() != count) {
    return fail_at({path.string(), 0, 0}, "found {} numbers, expected {}", numbers.size(), count);
  }
  return numbers;
}

Expected<Intrinsics> read_intrinsics(const fs::path& path) {
  THALLO_TRY(const auto k, read_numbers(path, 9));
  if (k[0] <= 0 || k[4] <= 0) {
    return fail_at({path.string(), 0, 0}, "the focal lengths are {} and {}, expected more than 0",
                   k[0], k[4]);
  }
  return Intrinsics{{k[0], k[4]}, {k[2], k[5]}};
}

Expected<RigidMotion> read_pose(const fs::path& path) {
  THALLO_TRY(const auto numbers, read_numbers(path, 16));
  RigidMotion pose;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) pose.rotation[3 * i + j] = numbers[4 * i + j];
    pose.translation[i] = numbers[4 * i + 3];
  }
  constexpr double Tolerance = 1e-2;
  const std::array<double, 9> square = (inverse(pose) * pose).rotation;
  const Vector3 first = pose.turn({1, 0, 0});
  const Vector3 second = pose.turn({0, 1, 0});
  bool is_rotation = dot(cross(first, second), pose.turn({0, 0, 1})) > 0;
  for (std::size_t k = 0; k < 9; ++k) {
    is_rotation = is_rotation && std::abs(square[k] - (k % 4 == 0 ? 1 : 0)) < Tolerance;
  }
  if (!is_rotation) {
    return fail_at({path.string(), 0, 0}, "the upper left 3 x 3 numbers are no rotation");
  }
  // The digits of the text are few; this makes the matrix orthogonal again.
  pose.rotation = exponential({logarithm({pose.rotation, {}}).rotation, {}}).rotation;
  return pose;
}

Expected<Image> read_depth(const fs::path& path) {
  THALLO_TRY(auto depth, read_image(path));
  if (depth.channels != 1) {
    return fail_at({path.string(), 0, 0}, "a depth map has one channel, found {}", depth.channels);
  }
  constexpr float Full = 65535;
  constexpr float Millimeters = 1000;
  for (float& value : depth.data) {
    const bool is_there = value > 0 && value < 1;
    value = is_there ? value * Full / Millimeters : -std::numeric_limits<float>::infinity();
  }
  return depth;
}

Expected<Image> read_color(const std::string& frame) {
  for (const char* suffix : {".color.jpg", ".color.png"}) {
    if (!fs::exists(frame + suffix)) continue;
    THALLO_TRY(auto color, read_image(frame + suffix));
    return to_rgb(color);
  }
  return Image();
}

}  // namespace

Expected<DepthVideo> read_depth_video(const fs::path& folder, int num_frames) {
  THALLO_TRY(const auto camera, read_intrinsics(folder / "camera-intrinsics.txt"));
  THALLO_TRY(const auto frames, find_frames(folder));
  const auto wanted = static_cast<std::size_t>(num_frames);
  if (frames.size() < wanted) {
    return fail_at({folder.string(), 0, 0},
                   "found {} frames (frame-NUMBER.depth.png), expected {} (option frames)",
                   frames.size(), num_frames);
  }
  DepthVideo video;
  video.camera = camera;
  for (const auto& [number, path] : frames) {
    if (video.frames.size() == wanted) break;
    THALLO_TRY(auto depth, read_depth(path + std::string(DepthSuffix)));
    THALLO_TRY(auto color, read_color(path));
    THALLO_TRY(const auto pose, read_pose(path + ".pose.txt"));
    video.frames.push_back({std::move(depth), std::move(color), pose});
    const Image& read = video.frames.back().depth;
    if (read.width != video.width() || read.height != video.height()) {
      return fail_at({path + std::string(DepthSuffix), 0, 0},
                     "found {} x {} pixels, expected {} x {} as in the first frame", read.width,
                     read.height, video.width(), video.height());
    }
  }
  const RigidMotion to_first = inverse(video.frames.front().pose);
  for (DepthFrame& frame : video.frames) frame.pose = to_first * frame.pose;
  return video;
}

}  // namespace thallo::bundle_fusion
