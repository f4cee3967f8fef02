#include "core/base/io/off.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <string>

#include <fmt/format.h>

#include "core/base/io/file.h"
#include "core/base/io/text_cursor.h"

namespace thallo {
namespace {

// A longer face is a sign of a damaged file.
constexpr int MaxOffCorners = 1'000'000;

class OffParser {
 public:
  OffParser(const std::filesystem::path& path, std::string_view content)
      : path_(path), content_(content), cursor_(path, content) {}

  Expected<Mesh> parse() {
    if (auto done = parse_header(); !done) return fail(done.error());
    for (std::int64_t i = 0; i < num_vertices_; ++i)
      if (auto done = parse_vertex(i); !done) return fail(done.error());
    for (std::int64_t i = 0; i < num_faces_; ++i)
      if (auto done = parse_face(i); !done) return fail(done.error());
    cursor_.skip_comments('#');
    if (!cursor_.at_end()) return fail(cursor_.unexpected("the end of the file"));
    return std::move(mesh_);
  }

 private:
  Expected<void> parse_header() {
    cursor_.skip_comments('#');
    const std::string_view kind = cursor_.word();
    has_colors_ = kind == "COFF" || kind == "CNOFF";
    has_normals_ = kind == "NOFF" || kind == "CNOFF";
    if (!has_colors_ && !has_normals_ && kind != "OFF") {
      return fail(Diagnostic{"is not an OFF file (its first word is another)",
                             {path_, 0, 0},
                             {"OFF", "COFF", "NOFF", "CNOFF"}});
    }
    std::int64_t num_edges = 0;  // often 0, always unused
    if (auto done = parse_count(num_vertices_, "vertices"); !done) return done;
    if (auto done = parse_count(num_faces_, "faces"); !done) return done;
    return parse_count(num_edges, "edges");
  }

  // A vertex or a face takes more than two characters: a damaged count must not make us loop over
  // more than the file can hold.
  Expected<void> parse_count(std::int64_t& count, std::string_view what) {
    cursor_.skip_comments('#');
    if (!cursor_.read(count) || count < 0)
      return fail(cursor_.unexpected(fmt::format("the number of {}", what)));
    if (what != "edges" && count > static_cast<std::int64_t>(content_.size()) / 2) {
      return fail_at(cursor_.where(),
                     "the file is truncated: it promises {} {}, for which its {} bytes are too few",
                     count, what, content_.size());
    }
    return {};
  }

  Expected<void> parse_vertex(std::int64_t i) {
    constexpr std::string_view Names[] = {"x", "y", "z", "nx", "ny", "nz"};
    std::array<double, 6> values{};
    cursor_.skip_comments('#');
    for (std::size_t k = 0; k < (has_normals_ ? 6u : 3u); ++k) {
      if (!cursor_.read(values[k])) {
        return fail(
            cursor_.unexpected(fmt::format("{} of vertex {} (of {})", Names[k], i, num_vertices_)));
      }
    }
    mesh_.positions.push_back({values[0], values[1], values[2]});
    if (has_normals_) mesh_.normals.push_back({values[3], values[4], values[5]});
    return has_colors_ ? parse_color(i) : Expected<void>();
  }

  // Integers are 0 ... 255, numbers with a point 0 ... 1; alpha is dropped.
  Expected<void> parse_color(std::int64_t i) {
    std::array<std::uint8_t, 3> color{};
    for (std::size_t k = 0; k < 4; ++k) {
      const double scale = cursor_.peek().find('.') == std::string_view::npos ? 1.0 : 255.0;
      double value = 0;
      if (!cursor_.read(value))
        return fail(cursor_.unexpected(fmt::format("color {} (of 4) of vertex {}", k, i)));
      if (k < 3) {
        const double sample = value * scale;
        color[k] =
            static_cast<std::uint8_t>(std::lround(sample > 0 ? std::min(sample, 255.0) : 0.0));
      }
    }
    mesh_.colors.push_back(color);
    return {};
  }

  Expected<void> parse_face(std::int64_t i) {
    int count = 0;
    cursor_.skip_comments('#');
    if (!cursor_.read(count) || count < 1 || count > MaxOffCorners) {
      return fail(cursor_.unexpected(
          fmt::format("the number of corners of face {} (of {})", i, num_faces_)));
    }
    std::array<std::int32_t, 3> fan{};
    for (int k = 0; k < count; ++k) {
      std::int32_t corner = 0;
      if (!cursor_.read(corner))
        return fail(cursor_.unexpected(fmt::format("corner {} (of {}) of face {}", k, count, i)));
      if (corner < 0 || corner >= num_vertices_) {
        return fail_at(cursor_.where(), "face {} names vertex {}, but there are {} vertices", i,
                       corner, num_vertices_);
      }
      fan[static_cast<std::size_t>(std::min(k, 2))] = corner;
      if (k >= 2) {
        mesh_.triangles.push_back(fan);
        fan[1] = fan[2];
      }
    }
    cursor_.line();  // a color may follow
    return {};
  }

  std::filesystem::path path_;
  std::string_view content_;
  TextCursor cursor_;
  bool has_normals_ = false;
  bool has_colors_ = false;
  std::int64_t num_vertices_ = 0;
  std::int64_t num_faces_ = 0;
  Mesh mesh_;
};

}  // namespace

bool is_off(std::string_view content) {
  TextCursor cursor("", content);
  cursor.skip_comments('#');
  const std::string_view word = cursor.word();
  return word == "OFF" || word == "COFF" || word == "NOFF" || word == "CNOFF";
}

Expected<Mesh> parse_off(const std::filesystem::path& name, std::string_view content) {
  return OffParser(name, content).parse();
}

Expected<Mesh> read_off(const std::filesystem::path& path) {
  const auto content = read_file(path);
  if (!content) return fail(content.error());
  return parse_off(path, *content);
}

Expected<void> write_off(const std::filesystem::path& path, const Mesh& mesh) {
  if (auto writable = check_writable(path, mesh); !writable) return writable;
  std::string text =
      fmt::format("{}{}OFF\n{} {} 0\n", mesh.colors.empty() ? "" : "C",
                  mesh.normals.empty() ? "" : "N", mesh.positions.size(), mesh.triangles.size());
  auto out = std::back_inserter(text);
  for (std::size_t i = 0; i < mesh.positions.size(); ++i) {
    fmt::format_to(out, "{}", fmt::join(mesh.positions[i], " "));
    if (!mesh.normals.empty()) fmt::format_to(out, " {}", fmt::join(mesh.normals[i], " "));
    if (!mesh.colors.empty()) fmt::format_to(out, " {} 255", fmt::join(mesh.colors[i], " "));
    text += '\n';
  }
  for (const auto& triangle : mesh.triangles)
    fmt::format_to(out, "3 {}\n", fmt::join(triangle, " "));
  return write_file(path, text);
}

}  // namespace thallo
