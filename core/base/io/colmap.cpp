#include "core/base/io/colmap.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string_view>
#include <system_error>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/io/byte_cursor.h"
#include "core/base/io/file.h"
#include "core/base/io/text_cursor.h"

namespace thallo {
namespace {

constexpr std::string_view FileNames[] = {"cameras", "images", "points3D"};

std::size_t num_params(LensModel lens) { return info_of(lens).size() + 2; }

// Reads the numbers of one file, whichever form it has.
class BinaryNumbers {
 public:
  BinaryNumbers(const std::filesystem::path& path, std::string_view content)
      : path_(path), cursor_(path, content) {}

  // Calls `read` for each record.
  template <class Read>
  Expected<void> records(const Read& read) {
    std::uint64_t count = 0;
    if (!value(count)) return fail(missing("the number of records"));
    for (std::uint64_t i = 0; i < count; ++i) THALLO_CHECK(read());
    return {};
  }
  template <class T>
  bool value(T& number) {
    return cursor_.read(number);
  }
  bool lens(LensModel& lens) {
    std::int32_t id = -1;
    if (!value(id)) return false;
    const auto known = lens_models();
    const auto found = std::ranges::find(known, id, &LensModelInfo::colmap_id);
    if (id < 0 || found == known.end()) return false;
    lens = found->model;
    return true;
  }
  bool name(std::string& text) {
    for (char c = 0; value(c);) {
      if (c == '\0') return true;
      text += c;
    }
    return false;
  }
  // Reads a number of items, each of at least `bytes`.
  bool count(std::uint64_t& number, std::size_t bytes) {
    return value(number) && number <= cursor_.remaining() / bytes;
  }
  template <class Item>
  bool items(const Item& item, std::size_t bytes) {
    std::uint64_t number = 0;
    if (!count(number, bytes)) return false;
    for (std::uint64_t i = 0; i < number; ++i)
      if (!item()) return false;
    return true;
  }
  Diagnostic missing(const std::string& wanted) {
    return {fmt::format("at offset {} should be {}; the file is truncated, or of another kind",
                        cursor_.offset(), wanted),
            {path_, 0, 0}};
  }

 private:
  std::filesystem::path path_;
  ByteCursor cursor_;
};

class TextNumbers {
 public:
  TextNumbers(const std::filesystem::path& path, std::string_view content)
      : path_(path), cursor_(path, content), line_("", "") {}

  template <class Read>
  Expected<void> records(const Read& read) {
    for (cursor_.skip_comments('#'); !cursor_.at_end(); cursor_.skip_comments('#')) {
      next_line();
      THALLO_CHECK(read());
    }
    return {};
  }
  template <class T>
  bool value(T& number) {
    if constexpr (sizeof(T) == 1) {
      int wide = 0;
      if (!line_.read(wide) || wide < 0 || wide > 255) return false;
      number = static_cast<T>(wide);
      return true;
    } else {
      return line_.read(number);
    }
  }
  bool lens(LensModel& lens) {
    const auto known = lens_models();
    const auto found = std::ranges::find(known, line_.peek(), &LensModelInfo::name);
    if (found == known.end() || found->colmap_id < 0) return false;
    line_.word();
    lens = found->model;
    return true;
  }
  bool name(std::string& text) {
    line_.at_end();
    text = line_.rest();
    while (!text.empty() && text.back() == '\r') text.pop_back();
    next_line();  // the places follow in a line of their own
    return !text.empty();
  }
  template <class Item>
  bool items(const Item& item, std::size_t /*bytes*/) {
    while (!line_.at_end())
      if (!item()) return false;
    return true;
  }
  Diagnostic missing(const std::string& wanted) {
    Diagnostic fault = line_.unexpected(wanted);
    fault.where = {path_, number_, 0};
    return fault;
  }

 private:
  void next_line() {
    number_ = cursor_.line_number();
    line_ = TextCursor("", cursor_.line());
  }

  std::filesystem::path path_;
  TextCursor cursor_, line_;
  int number_ = 0;
};

std::string lens_names() {
  std::vector<std::string_view> names;
  for (const LensModelInfo& info : lens_models())
    if (info.colmap_id >= 0) names.push_back(info.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

template <class Numbers, class Range>
bool read_all(Numbers& in, Range& numbers) {
  return std::ranges::all_of(numbers, [&](auto& number) {
    return in.value(number) && std::isfinite(static_cast<double>(number));
  });
}

template <class Numbers>
Expected<void> read_cameras(Numbers in, ColmapModel& model) {
  return in.records([&]() -> Expected<void> {
    ColmapModel::Camera camera;
    if (!in.value(camera.id)) return fail(in.missing("the id of a camera"));
    if (!in.lens(camera.lens)) {
      return fail(
          in.missing(fmt::format("the model of camera {} (legal: {})", camera.id, lens_names())));
    }
    camera.params.resize(num_params(camera.lens));
    if (!in.value(camera.width) || !in.value(camera.height) || !read_all(in, camera.params)) {
      return fail(in.missing(fmt::format("the width, height and {} numbers of camera {}",
                                         camera.params.size(), camera.id)));
    }
    model.cameras.push_back(std::move(camera));
    return {};
  });
}

template <class Numbers>
Expected<void> read_images(Numbers in, ColmapModel& model) {
  return in.records([&]() -> Expected<void> {
    ColmapModel::Image image;
    if (!in.value(image.id)) return fail(in.missing("the id of an image"));
    if (!read_all(in, image.rotation) || !read_all(in, image.translation) ||
        !in.value(image.camera) || !in.name(image.name)) {
      return fail(in.missing(
          fmt::format("the rotation, translation, camera and name of image {}", image.id)));
    }
    const auto read_place = [&] {
      std::int64_t point = -1;
      if (!read_all(in, image.places.emplace_back()) || !in.value(point)) return false;
      image.points.push_back(point);
      return true;
    };
    if (!in.items(read_place, 24))
      return fail(in.missing(fmt::format("the x, y and point of a feature of image {}", image.id)));
    model.images.push_back(std::move(image));
    return {};
  });
}

template <class Numbers>
Expected<void> read_points(Numbers in, ColmapModel& model) {
  return in.records([&]() -> Expected<void> {
    ColmapModel::Point point;
    if (!in.value(point.id)) return fail(in.missing("the id of a point"));
    const auto read_seen = [&] { return read_all(in, point.track.emplace_back()); };
    if (!read_all(in, point.position) || !read_all(in, point.color) || !in.value(point.error) ||
        !in.items(read_seen, 8)) {
      return fail(
          in.missing(fmt::format("the position, color, error and track of point {}", point.id)));
    }
    model.points.push_back(std::move(point));
    return {};
  });
}

// Every image must have a camera, every feature's point must be there.
Expected<void> check_ids(const std::filesystem::path& folder, const ColmapModel& model) {
  std::unordered_set<std::uint32_t> cameras;
  std::unordered_set<std::int64_t> points;
  for (const auto& camera : model.cameras) cameras.insert(camera.id);
  for (const auto& point : model.points) points.insert(static_cast<std::int64_t>(point.id));
  for (const auto& image : model.images) {
    if (!cameras.contains(image.camera))
      return fail_at({folder}, "image {} names camera {}, which is not among the cameras", image.id,
                     image.camera);
    for (const std::int64_t point : image.points)
      if (point != -1 && !points.contains(point))
        return fail_at({folder}, "image {} sees point {}, which is not among the points", image.id,
                       point);
  }
  return {};
}

template <class Numbers>
Expected<ColmapModel> read_files(const std::filesystem::path& folder, std::string_view suffix) {
  ColmapModel model;
  const auto path_of = [&](std::string_view name) {
    return folder / fmt::format("{}{}", name, suffix);
  };
  std::array<std::string, std::size(FileNames)> contents;
  for (std::size_t i = 0; i < contents.size(); ++i) {
    THALLO_TRY(contents[i], read_file(path_of(FileNames[i])));
  }
  const auto numbers = [&](std::size_t i) { return Numbers(path_of(FileNames[i]), contents[i]); };
  Expected<void> done = read_cameras(numbers(0), model);
  if (done) done = read_images(numbers(1), model);
  if (done) done = read_points(numbers(2), model);
  if (done) done = check_ids(folder, model);
  if (!done) return fail(done.error());
  return model;
}

// The counterparts of the classes above.
class BinaryText {
 public:
  static constexpr std::string_view Suffix = ".bin";
  explicit BinaryText(std::uint64_t num_records) { value(num_records); }
  template <class T>
  void value(const T& number) {
    append_bytes(text_, number);
  }
  void lens(LensModel lens) { value(std::int32_t{info_of(lens).colmap_id}); }
  void name(const std::string& name) { text_.append(name).push_back('\0'); }
  void begin_items(std::size_t count) { value(std::uint64_t{count}); }
  void end() {}
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

class PlainText {
 public:
  static constexpr std::string_view Suffix = ".txt";
  explicit PlainText(std::uint64_t /*num_records*/) {}
  template <class T>
  void value(const T& number) {
    if (!text_.empty() && text_.back() != '\n') text_ += ' ';
    fmt::format_to(std::back_inserter(text_), "{}", number);
  }
  void lens(LensModel lens) { value(info_of(lens).name); }
  void name(const std::string& name) {
    value(name);
    end();
  }
  void begin_items(std::size_t /*count*/) {}
  void end() { text_ += '\n'; }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

template <class Out, class Range>
void write_all(Out& out, const Range& numbers) {
  for (const auto& number : numbers) out.value(number);
}

template <class Out>
Expected<void> write_files(const std::filesystem::path& folder, const ColmapModel& model) {
  Out cameras(model.cameras.size()), images(model.images.size()), points(model.points.size());
  for (const ColmapModel::Camera& camera : model.cameras) {
    cameras.value(camera.id);
    cameras.lens(camera.lens);
    cameras.value(camera.width);
    cameras.value(camera.height);
    write_all(cameras, camera.params);
    cameras.end();
  }
  for (const ColmapModel::Image& image : model.images) {
    images.value(image.id);
    write_all(images, image.rotation);
    write_all(images, image.translation);
    images.value(image.camera);
    images.name(image.name);
    images.begin_items(image.places.size());
    for (std::size_t i = 0; i < image.places.size(); ++i) {
      write_all(images, image.places[i]);
      images.value(image.points[i]);
    }
    images.end();
  }
  for (const ColmapModel::Point& point : model.points) {
    points.value(point.id);
    write_all(points, point.position);
    write_all(points, point.color);
    points.value(point.error);
    points.begin_items(point.track.size());
    for (const auto& seen : point.track) write_all(points, seen);
    points.end();
  }
  for (const auto& [name, out] :
       {std::pair(FileNames[0], &cameras), {FileNames[1], &images}, {FileNames[2], &points}}) {
    const auto path = folder / fmt::format("{}{}", name, Out::Suffix);
    THALLO_CHECK(write_file(path, out->text()));
  }
  return {};
}

}  // namespace

Expected<ColmapModel> read_colmap(const std::filesystem::path& folder) {
  std::error_code error;
  for (const bool is_binary : {true, false}) {
    const std::string_view suffix = is_binary ? ".bin" : ".txt";
    if (!std::filesystem::exists(folder / fmt::format("cameras{}", suffix), error)) continue;
    auto model = is_binary ? read_files<BinaryNumbers>(folder, suffix)
                           : read_files<TextNumbers>(folder, suffix);
    if (model) model->is_binary = is_binary;
    return model;
  }
  return fail_at({folder}, "has no cameras.bin and no cameras.txt, as a model of COLMAP has");
}

Expected<void> write_colmap(const std::filesystem::path& folder, const ColmapModel& model) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  return model.is_binary ? write_files<BinaryText>(folder, model)
                         : write_files<PlainText>(folder, model);
}

}  // namespace thallo
