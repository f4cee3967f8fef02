#include "core/base/io/obj.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <string>

#include <fmt/format.h>

#include "core/base/io/file.h"
#include "core/base/io/text_cursor.h"

namespace thallo {
namespace {

constexpr std::string_view Keywords[] = {
    "v",    "vn",       "vt",       "vp",     "f",      "l",          "p",         "o",     "g",
    "s",    "mtllib",   "usemtl",   "usemap", "maplib", "shadow_obj", "trace_obj", "bevel", "lod",
    "mg",   "c_interp", "d_interp", "cstype", "deg",    "bmat",       "step",      "curv",  "curv2",
    "surf", "parm",     "trim",     "hole",   "scrv",   "sp",         "end",       "con"};

bool is_keyword(std::string_view word) {
  return std::ranges::find(Keywords, word) != std::end(Keywords);
}

std::uint8_t to_sample(double value) {
  const double clamped = value > 0 ? std::min(value, 1.0) : 0.0;
  return static_cast<std::uint8_t>(std::lround(clamped * 255));
}

class ObjParser {
 public:
  ObjParser(const std::filesystem::path& path, std::string_view content)
      : path_(path), cursor_(path, content) {}

  Expected<Mesh> parse() {
    for (line_ = 1; !cursor_.rest().empty(); ++line_) {
      if (auto done = parse_line(cursor_.line()); !done) return fail(done.error());
    }
    if (mesh_.positions.empty()) return fail_at({path_}, "has no vertex (a line 'v x y z')");
    finish_normals();
    if (mesh_.colors.size() != mesh_.positions.size()) mesh_.colors.clear();
    return std::move(mesh_);
  }

 private:
  SourceLocation where() const { return {path_, line_, 0}; }

  Expected<void> parse_line(std::string_view text) {
    // Without the path, which unexpected() adds: a copy a line is slow.
    TextCursor words("", text.substr(0, text.find('#')));
    const std::string_view keyword = words.word();
    if (keyword.empty()) return {};
    if (keyword == "v") return parse_position(words);
    if (keyword == "vn") return parse_normal(words);
    if (keyword == "f") return parse_face(words);
    if (is_keyword(keyword)) return {};
    return fail(Diagnostic{fmt::format("unknown statement '{}'", keyword.substr(0, 40)),
                           where(),
                           {"v", "vn", "vt", "f", "l", "o", "g", "s", "mtllib", "usemtl"}});
  }

  // The diagnostic for `words`, which are the content of one line.
  tl::unexpected<Diagnostic> unexpected(TextCursor& words, const std::string& wanted) const {
    Diagnostic diagnostic = words.unexpected(wanted);
    if (words.at_end()) diagnostic.what = fmt::format("the line ends where {} should be", wanted);
    diagnostic.where = where();
    return fail(std::move(diagnostic));
  }

  Expected<void> parse_position(TextCursor& words) {
    std::array<double, 6> values{};
    std::size_t count = 0;
    while (count < values.size() && words.read(values[count])) ++count;
    if (count < 3) {
      constexpr std::string_view Names[] = {"x", "y", "z"};
      return unexpected(words,
                        fmt::format("{} of vertex {}", Names[count], mesh_.positions.size() + 1));
    }
    mesh_.positions.push_back({values[0], values[1], values[2]});
    // Three more numbers are a color (a convention of many programs), one more is w.
    if (count == 6)
      mesh_.colors.push_back({to_sample(values[3]), to_sample(values[4]), to_sample(values[5])});
    return {};
  }

  Expected<void> parse_normal(TextCursor& words) {
    std::array<double, 3> normal{};
    for (double& value : normal) {
      if (!words.read(value))
        return unexpected(words, fmt::format("a number of normal {}", normals_.size() + 1));
    }
    normals_.push_back(normal);
    return {};
  }

  Expected<void> parse_face(TextCursor& words) {
    std::array<std::int32_t, 3> fan{};
    int count = 0;
    for (; !words.at_end(); ++count) {
      std::int32_t corner = 0;
      if (auto done = parse_corner(words.word(), corner); !done) return done;
      fan[static_cast<std::size_t>(std::min(count, 2))] = corner;
      if (count >= 2) {
        mesh_.triangles.push_back(fan);
        fan[1] = fan[2];
      }
    }
    if (count < 3) return fail_at(where(), "a face has {} corners, but needs 3 at least", count);
    return {};
  }

  // "7", "7/2", "7//3", "7/2/3": position, texture coordinate, normal.
  Expected<void> parse_corner(std::string_view text, std::int32_t& corner) {
    const std::size_t slash = text.find('/');
    const std::size_t second = slash == std::string_view::npos ? slash : text.find('/', slash + 1);
    if (!parse_index(text.substr(0, slash), mesh_.positions.size(), corner)) {
      return fail_at(where(),
                     "'{}' names no vertex: there are {} so far (1 ... {}, or -1 for the last)",
                     text.substr(0, 40), mesh_.positions.size(), mesh_.positions.size());
    }
    if (second == std::string_view::npos) return {};
    std::int32_t normal = 0;
    if (!parse_index(text.substr(second + 1), normals_.size(), normal)) {
      return fail_at(where(), "'{}' names no normal: there are {} so far", text.substr(0, 40),
                     normals_.size());
    }
    normal_of_.resize(mesh_.positions.size(), -1);
    normal_of_[static_cast<std::size_t>(corner)] = normal;
    return {};
  }

  static bool parse_index(std::string_view text, std::size_t size, std::int32_t& index) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) return false;
    const auto count = static_cast<std::int64_t>(size);
    if (value == 0 || value > count || value < -count) return false;
    index = static_cast<std::int32_t>(value > 0 ? value - 1 : count + value);
    return true;
  }

  void finish_normals() {
    normal_of_.resize(mesh_.positions.size(), -1);
    if (std::ranges::find(normal_of_, -1) != normal_of_.end()) return;
    for (const std::int32_t normal : normal_of_)
      mesh_.normals.push_back(normals_[static_cast<std::size_t>(normal)]);
  }

  std::filesystem::path path_;
  TextCursor cursor_;
  int line_ = 1;
  Mesh mesh_;
  std::vector<std::array<double, 3>> normals_;  // as numbered in the file
  std::vector<std::int32_t> normal_of_;         // per vertex: the normal of its last corner, or -1
};

}  // namespace

bool is_obj(std::string_view content) {
  TextCursor cursor("", content);
  cursor.skip_comments('#');
  return is_keyword(cursor.word());
}

Expected<Mesh> parse_obj(const std::filesystem::path& name, std::string_view content) {
  return ObjParser(name, content).parse();
}

Expected<Mesh> read_obj(const std::filesystem::path& path) {
  const auto content = read_file(path);
  if (!content) return fail(content.error());
  return parse_obj(path, *content);
}

Expected<void> write_obj(const std::filesystem::path& path, const Mesh& mesh) {
  if (auto writable = check_writable(path, mesh); !writable) return writable;
  std::string text;
  auto out = std::back_inserter(text);
  for (std::size_t i = 0; i < mesh.positions.size(); ++i) {
    fmt::format_to(out, "v {}", fmt::join(mesh.positions[i], " "));
    if (!mesh.colors.empty())
      for (const std::uint8_t sample : mesh.colors[i])
        fmt::format_to(out, " {:.6g}", static_cast<double>(sample) / 255.0);
    text += '\n';
  }
  for (const auto& normal : mesh.normals) fmt::format_to(out, "vn {}\n", fmt::join(normal, " "));
  for (const auto& [a, b, c] : mesh.triangles) {
    if (mesh.normals.empty()) {
      fmt::format_to(out, "f {} {} {}\n", a + 1, b + 1, c + 1);
    } else {
      fmt::format_to(out, "f {0}//{0} {1}//{1} {2}//{2}\n", a + 1, b + 1, c + 1);
    }
  }
  return write_file(path, text);
}

}  // namespace thallo
