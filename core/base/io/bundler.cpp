#include "core/base/io/bundler.h"

#include <algorithm>
#include <iterator>
#include <span>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/camera_model.h"
#include "core/base/io/file.h"
#include "core/base/io/text_cursor.h"

namespace thallo {
namespace {

using bundler::Point3;

constexpr std::string_view Head = "# Bundle file";

Point3 angle_axis(const std::array<double, 9>& r) {
  return rotation_vector_of_rows({r[0], r[1], r[2]}, {r[3], r[4], r[5]}, {r[6], r[7], r[8]});
}

class BundlerParser {
 public:
  BundlerParser(const std::filesystem::path& path, std::string_view content)
      : path_(path), content_(content), cursor_(path, content) {}

  Expected<BundlerFile> parse() {
    cursor_.skip_comments('#');
    std::int32_t num_cameras = 0, num_points = 0;
    THALLO_CHECK(read_count(num_cameras, "cameras", 15));
    THALLO_CHECK(read_count(num_points, "points", 7));
    file_.scene.cameras.resize(static_cast<std::size_t>(num_cameras));
    file_.scene.points.resize(static_cast<std::size_t>(num_points));
    file_.colors.resize(file_.scene.points.size());
    for (std::size_t i = 0; i < file_.scene.cameras.size(); ++i) THALLO_CHECK(read_camera(i));
    for (std::size_t i = 0; i < file_.scene.points.size(); ++i) THALLO_CHECK(read_point(i));
    if (!cursor_.at_end()) return fail(cursor_.unexpected("the end of the file"));
    return std::move(file_);
  }

 private:
  // Each number takes two characters at least: a damaged header must not make us allocate more than
  // the file can hold.
  Expected<void> read_count(std::int32_t& count, std::string_view what, std::int64_t numbers) {
    if (!cursor_.read_count(count))
      return fail(cursor_.unexpected(fmt::format("the number of {}", what)));
    if (count * numbers * 2 <= static_cast<std::int64_t>(content_.size())) return {};
    return fail_at(cursor_.where(), "the file is truncated: it promises {} {}", count, what);
  }

  template <class Range>
  Expected<void> read_numbers(Range&& numbers, std::string_view what, std::size_t number) {
    for (auto& value : numbers) {
      bool is_read = false;
      if constexpr (std::is_integral_v<std::remove_reference_t<decltype(value)>>)
        is_read = cursor_.read(value);
      else
        is_read = cursor_.read_finite(value);
      if (!is_read) return fail(cursor_.unexpected(fmt::format("{} {}", what, number)));
    }
    return {};
  }

  Expected<void> read_camera(std::size_t i) {
    std::array<double, 15> n{};  // f k1 k2, R, t
    THALLO_CHECK(read_numbers(n, "a number of camera", i));
    std::copy_n(&n[3], 9, file_.rotations.emplace_back().begin());
    const Point3 w = angle_axis(file_.rotations.back());
    file_.scene.cameras[i] = {w[0], w[1], w[2], n[12], n[13], n[14], n[0], n[1], n[2]};
    return {};
  }

  Expected<void> read_point(std::size_t i) {
    THALLO_CHECK(read_numbers(file_.scene.points[i], "a coordinate of point", i));
    THALLO_CHECK(read_numbers(file_.colors[i], "the color of point", i));
    std::int32_t count = 0;
    if (!cursor_.read_count(count))
      return fail(cursor_.unexpected(fmt::format("the number of observations of point {}", i)));
    for (std::int32_t k = 0; k < count; ++k) {
      BalObservation o{.point = static_cast<std::int32_t>(i)};
      std::array<std::int32_t, 2> ids{};
      THALLO_CHECK(read_numbers(ids, "the camera and key of an observation of point", i));
      if (ids[0] < 0 || static_cast<std::size_t>(ids[0]) >= file_.scene.cameras.size()) {
        return fail_at(cursor_.where(), "point {} names camera {}, but there are {} (from 0)", i,
                       ids[0], file_.scene.cameras.size());
      }
      o.camera = ids[0];
      if (!cursor_.read_finite(o.x) || !cursor_.read_finite(o.y))
        return fail(cursor_.unexpected(fmt::format("where camera {} sees point {}", o.camera, i)));
      file_.scene.observations.push_back(o);
      file_.keys.push_back(ids[1]);
    }
    return {};
  }

  std::filesystem::path path_;
  std::string_view content_;
  TextCursor cursor_;
  BundlerFile file_;
};

}  // namespace

bool is_bundler(std::string_view content) { return content.starts_with(Head); }

Expected<BundlerFile> parse_bundler(const std::filesystem::path& name, std::string_view content) {
  return BundlerParser(name, content).parse();
}

Expected<void> write_bundler(const std::filesystem::path& path, const BundlerFile& file) {
  const BalProblem& scene = file.scene;
  std::string text =
      fmt::format("{} v0.3\n{} {}\n", Head, scene.cameras.size(), scene.points.size());
  auto out = std::back_inserter(text);
  for (std::size_t i = 0; i < scene.cameras.size(); ++i) {
    const auto& c = scene.cameras[i];
    fmt::format_to(out, "{} {} {}\n", c[6], c[7], c[8]);
    const bool is_kept =
        i < file.rotations.size() && angle_axis(file.rotations[i]) == Point3{c[0], c[1], c[2]};
    for (std::size_t row = 0; row < 3; ++row) {
      // The rows of R are the columns of its transpose.
      Point3 axis{};
      axis[row] = 1;
      const Point3 turned = rotate({-c[0], -c[1], -c[2]}, axis);
      fmt::format_to(out, "{}\n",
                     fmt::join(is_kept ? std::span(file.rotations[i]).subspan(3 * row, 3)
                                       : std::span<const double>(turned),
                               " "));
    }
    fmt::format_to(out, "{} {} {}\n", c[3], c[4], c[5]);
  }
  std::size_t at = 0;
  for (std::size_t i = 0; i < scene.points.size(); ++i) {
    std::size_t end = at;
    while (end < scene.observations.size() &&
           scene.observations[end].point == static_cast<std::int32_t>(i))
      ++end;
    fmt::format_to(out, "{}\n{}\n{}", fmt::join(scene.points[i], " "),
                   fmt::join(file.colors[i], " "), end - at);
    for (; at < end; ++at) {
      const BalObservation& o = scene.observations[at];
      fmt::format_to(out, " {} {} {} {}", o.camera, file.keys[at], o.x, o.y);
    }
    text += '\n';
  }
  return write_file(path, text);
}

}  // namespace thallo
