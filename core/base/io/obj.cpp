#include "core/base/io/obj.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "core/base/io/file.h"
#include "core/base/io/text_cursor.h"
#include "core/base/io/text_lines.h"
#include "core/base/log.h"
#include "core/base/mesh_faces.h"
#include "core/base/parse_number.h"

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

// What a corner names: a position, a texture coordinate, a normal.
enum Kind : std::size_t { Position, Texture, Normal, NumKinds };
constexpr std::string_view KindNames[] = {"vertex", "texture coordinate", "normal"};

// The numbers of a corner from 0, or -1 where it names none.
using Corner = std::array<std::int32_t, NumKinds>;

class ObjParser {
 public:
  ObjParser(const std::filesystem::path& path, std::string_view content)
      : path_(path), lines_(path, content, {.comment = '#', .continues = true}) {}

  Expected<Mesh> parse() {
    while (lines_.next()) THALLO_CHECK(parse_line());
    if (mesh_.positions.empty()) return fail_at({path_}, "has no vertex (a line 'v x y z')");
    for (const Kind kind : {Position, Texture, Normal}) THALLO_CHECK(check_highest(kind));
    finish();
    return std::move(mesh_);
  }

 private:
  Expected<void> parse_line() {
    const std::string_view keyword = words().word();
    if (keyword == "v") return parse_position();
    if (keyword == "vt") return parse_texture();
    if (keyword == "vn") return parse_normal();
    if (keyword == "f") return parse_face();
    if (keyword == "l" || keyword == "p") return parse_drawn(keyword);
    if (is_keyword(keyword)) {
      mesh_.statements.push_back({mesh_.fans.size(), std::string(lines_.text())});
      return {};
    }
    return fail(Diagnostic{fmt::format("unknown statement '{}'", shown_start(keyword)),
                           lines_.where(),
                           {"v", "vn", "vt", "f", "l", "o", "g", "s", "mtllib", "usemtl"}});
  }

  Expected<void> parse_position() {
    std::array<double, 6> values{};
    std::size_t count = 0;
    while (count < values.size() && words().read(values[count])) ++count;
    if (count < 3 || count == 5 || !words().at_end()) {
      constexpr std::string_view Names[] = {"x", "y", "z", "w or the end", "g", "b", "the end"};
      return fail(lines_.unexpected(
          fmt::format("{} of vertex {}", Names[count], mesh_.positions.size() + 1)));
    }
    mesh_.positions.push_back({values[0], values[1], values[2]});
    // Three more numbers are a color (a convention of many programs), one more is w.
    if (count == 6) mesh_.colors.push_back({values[3], values[4], values[5]});
    return {};
  }

  Expected<void> parse_texture() {
    auto& values = mesh_.texture.values;
    std::array<double, 3> uvw{};
    std::size_t count = 0;
    while (count < uvw.size() && words().read(uvw[count])) ++count;
    if (count == 0 || !words().at_end()) {
      return fail(lines_.unexpected(fmt::format(
          "{} of texture coordinate {}", count < 3 ? "a number" : "the end", values.size() + 1)));
    }
    values.push_back(uvw);
    return {};
  }

  Expected<void> parse_normal() {
    std::array<double, 3> normal{};
    for (double& value : normal) {
      if (!words().read(value))
        return fail(lines_.unexpected(fmt::format("a number of normal {}", normals().size() + 1)));
    }
    normals().push_back(normal);
    return {};
  }

  Expected<void> parse_face() {
    for (auto& numbers : of_face_) numbers.clear();
    while (!words().at_end()) {
      THALLO_TRY(const auto corner, parse_corner(words().word()));
      for (std::size_t kind = 0; kind < NumKinds; ++kind) of_face_[kind].push_back(corner[kind]);
    }
    if (of_face_[Position].size() < 3) {
      return fail_at(lines_.where(), "a face has {} corners, but needs 3 at least",
                     of_face_[Position].size());
    }
    add_face(of_face_[Position], mesh_);
    add_fan(of_face_[Texture], mesh_.texture.of);
    add_fan(of_face_[Normal], mesh_.corner_normals.of);
    return {};
  }

  // A line or points, which are kept as a statement. It counts from the first vertex, since the
  // last ones are others where it is written.
  Expected<void> parse_drawn(std::string_view keyword) {
    std::string text(keyword);
    while (!words().at_end()) {
      THALLO_TRY(const auto corner, parse_corner(words().word()));
      text += fmt::format(" {}", corner[Position] + 1);
      if (corner[Texture] >= 0) text += fmt::format("/{}", corner[Texture] + 1);
    }
    mesh_.statements.push_back({mesh_.fans.size(), std::move(text)});
    return {};
  }

  // "7", "7/2", "7//3", "7/2/3", and "7/" and the like, which some programs write.
  Expected<Corner> parse_corner(std::string_view text) {
    Corner corner = {-1, -1, -1};
    std::string_view rest = text;
    for (const Kind kind : {Position, Texture, Normal}) {
      const std::string_view number = rest.substr(0, rest.find('/'));
      rest.remove_prefix(std::min(number.size() + 1, rest.size()));
      if (number.empty() && kind != Position) continue;
      const auto index = parse_index(number, kind, text);
      if (!index) return fail(no_such(text, kind, lines_.where()));
      corner[kind] = *index;
    }
    if (!rest.empty()) return fail(no_such(text, Position, lines_.where()));
    return corner;
  }

  // A number counts from 1, and may name what follows later; a negative one counts backward. -1 if
  // there is nothing to count.
  std::optional<std::int32_t> parse_index(std::string_view number, Kind kind,
                                          std::string_view corner) {
    const auto value = parse_number<std::int64_t>(number);
    const auto count = static_cast<std::int64_t>(count_of(kind));
    if (value && *value < 0 && count == 0 && kind != Position) return -1;
    if (!value || *value == 0 || *value < -count ||
        *value > std::numeric_limits<std::int32_t>::max())
      return std::nullopt;
    const auto index = static_cast<std::int32_t>(*value > 0 ? *value - 1 : count + *value);
    if (index > highest_[kind].index)
      highest_[kind] = {index, std::string(corner.substr(0, 40)), lines_.where()};
    return index;
  }

  Diagnostic no_such(std::string_view corner, Kind kind, const SourceLocation& where) const {
    const std::size_t count = count_of(kind);
    return {fmt::format("'{}' names no {}: there are {} (1 ... {}, or -1 for the last so far)",
                        shown_start(corner), KindNames[kind], count, count),
            where};
  }

  // Fails if a corner names more than there is. Files without texture coordinates or normals may
  // name them all the same.
  Expected<void> check_highest(Kind kind) const {
    const auto& [index, corner, where] = highest_[kind];
    const std::size_t count = count_of(kind);
    if (index < static_cast<std::int64_t>(count) || (count == 0 && kind != Position)) return {};
    return fail(no_such(corner, kind, where));
  }

  void finish() {
    finish_faces(path_.string(), mesh_.fans.size(), mesh_);
    if (!mesh_.colors.empty() && mesh_.colors.size() != mesh_.positions.size()) {
      logger("io").warn("{}: {} of {} vertices have colors, which are left out", path_.string(),
                        mesh_.colors.size(), mesh_.positions.size());
      mesh_.colors.clear();
    }
    if (!mesh_.colors.empty()) mesh_.color_type = "float";
    if (mesh_.texture.values.empty()) mesh_.texture.of.clear();
    if (highest_[Normal].index < 0 || normals().empty()) {
      mesh_.corner_normals = {};
    } else {
      spread_normals();
    }
  }

  // Gives each vertex the mean of its corners' normals, if each has one at least. The corners keep
  // theirs only if that is not the same.
  void spread_normals() {
    const auto& [values, of] = mesh_.corner_normals;
    std::vector<std::int32_t> first(mesh_.positions.size(), -1);
    std::vector<std::array<double, 3>> means(mesh_.positions.size());
    bool is_one_each = true;
    for (std::size_t t = 0; t < of.size(); ++t) {
      for (std::size_t k = 0; k < 3; ++k) {
        const auto vertex = static_cast<std::size_t>(mesh_.triangles[t][k]);
        if (of[t][k] < 0) {
          is_one_each = false;
          continue;
        }
        const auto& normal = values[static_cast<std::size_t>(of[t][k])];
        if (first[vertex] < 0) first[vertex] = of[t][k];
        if (values[static_cast<std::size_t>(first[vertex])] != normal) is_one_each = false;
        for (std::size_t c = 0; c < 3; ++c) means[vertex][c] += normal[c];
      }
    }
    if (std::ranges::find(first, -1) != first.end()) return;
    for (std::size_t v = 0; v < means.size(); ++v) {
      const double length = std::hypot(means[v][0], means[v][1], means[v][2]);
      if (is_one_each) {
        means[v] = values[static_cast<std::size_t>(first[v])];
      } else if (length > 0) {
        for (double& c : means[v]) c /= length;
      }
    }
    mesh_.normals = std::move(means);
    if (is_one_each) mesh_.corner_normals = {};
  }

  TextCursor& words() { return lines_.words(); }
  std::vector<std::array<double, 3>>& normals() { return mesh_.corner_normals.values; }
  std::size_t count_of(Kind kind) const {
    if (kind == Position) return mesh_.positions.size();
    return (kind == Texture ? mesh_.texture : mesh_.corner_normals).values.size();
  }

  struct Highest {
    std::int64_t index = -1;
    std::string corner;
    SourceLocation where;
  };

  std::filesystem::path path_;
  TextLines lines_;
  Mesh mesh_;
  std::array<std::vector<std::int32_t>, NumKinds> of_face_;
  std::array<Highest, NumKinds> highest_;
};

// Writes a line for each row.
void write_rows(std::string_view keyword, const std::vector<std::array<double, 3>>& rows,
                std::string& text) {
  for (const auto& row : rows)
    fmt::format_to(std::back_inserter(text), "{} {}\n", keyword, fmt::join(row, " "));
}

void write_faces(const Mesh& mesh, std::string& text) {
  auto out = std::back_inserter(text);
  const bool has_corner_normals = !mesh.corner_normals.of.empty();
  const auto normal_of = [&](const FaceCorner& c) {
    if (has_corner_normals) return mesh.corner_normals.of[c.triangle][c.at];
    return mesh.normals.empty() ? -1 : mesh.triangles[c.triangle][c.at];
  };
  const auto texture_of = [&](const FaceCorner& c) {
    return mesh.texture.of.empty() ? -1 : mesh.texture.of[c.triangle][c.at];
  };
  auto statement = mesh.statements.begin();
  const auto write_statements = [&](std::size_t face) {
    for (; statement != mesh.statements.end() && statement->face <= face; ++statement)
      if (is_keyword(TextCursor("", statement->text).word())) text += statement->text + '\n';
  };
  for_each_face(mesh, [&](std::size_t face, std::span<const FaceCorner> corners) {
    write_statements(face);
    text += 'f';
    for (const FaceCorner& corner : corners) {
      fmt::format_to(out, " {}", mesh.triangles[corner.triangle][corner.at] + 1);
      const std::int32_t texture = texture_of(corner);
      const std::int32_t normal = normal_of(corner);
      if (texture >= 0 || normal >= 0) text += '/';
      if (texture >= 0) fmt::format_to(out, "{}", texture + 1);
      if (normal >= 0) fmt::format_to(out, "/{}", normal + 1);
    }
    text += '\n';
  });
  write_statements(mesh.num_faces());
}

}  // namespace

bool is_obj(std::string_view content) {
  TextCursor cursor("", content);
  cursor.skip_comments('#');
  return is_keyword(cursor.word());
}

Expected<Mesh> parse_obj(const std::filesystem::path& name, std::string_view content) {
  return ObjParser(name, content).parse();
}

Expected<void> write_obj(const std::filesystem::path& path, const Mesh& mesh) {
  THALLO_CHECK(check_writable(path, mesh));
  std::string text;
  auto out = std::back_inserter(text);
  const double white = mesh.white();
  for (std::size_t i = 0; i < mesh.positions.size(); ++i) {
    fmt::format_to(out, "v {}", fmt::join(mesh.positions[i], " "));
    if (!mesh.colors.empty())
      for (const double sample : mesh.colors[i]) fmt::format_to(out, " {}", sample / white);
    text += '\n';
  }
  // Texture coordinates have three numbers only if one of them needs them.
  const auto& texture = mesh.texture.values;
  const bool has_w = std::ranges::any_of(texture, [](const auto& uvw) { return uvw[2] != 0; });
  for (const auto& [u, v, w] : texture)
    has_w ? fmt::format_to(out, "vt {} {} {}\n", u, v, w) : fmt::format_to(out, "vt {} {}\n", u, v);
  write_rows("vn", mesh.corner_normals.of.empty() ? mesh.normals : mesh.corner_normals.values,
             text);
  write_faces(mesh, text);
  return write_file(path, text);
}

}  // namespace thallo
