#include "core/base/io/stl.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <ranges>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "core/base/hash.h"
#include "core/base/io/byte_cursor.h"
#include "core/base/io/file.h"
#include "core/base/io/text_cursor.h"
#include "core/base/io/text_lines.h"
#include "core/base/mesh.h"

namespace thallo {
namespace {

constexpr std::size_t HeaderBytes = 80;
constexpr std::size_t BytesBefore = HeaderBytes + sizeof(std::uint32_t);
constexpr std::size_t TriangleBytes = 12 * sizeof(float) + sizeof(std::uint16_t);

// Returns how many triangles binary content promises.
std::uint64_t promised_triangles(std::string_view content) {
  std::uint32_t count = 0;
  ByteCursor("", content, HeaderBytes).read(count);
  return count;
}

bool is_binary(std::string_view content) {
  return content.size() >= BytesBefore &&
         content.size() == BytesBefore + promised_triangles(content) * TriangleBytes;
}

bool begins_as_text(std::string_view content) {
  const std::string_view word = TextCursor("", content.substr(0, HeaderBytes)).word();
  return word == "solid" || word == "SOLID";
}

struct HashPlace {
  std::size_t operator()(const std::array<double, 3>& place) const {
    return static_cast<std::size_t>(hash_bytes(std::as_bytes(std::span(place))).low);
  }
};

// Makes a mesh of the corners of triangles.
class CornerMerger {
 public:
  void add(const std::array<double, 3>& corner) {
    // -0 and 0 are one place.
    const std::array<double, 3> place = {corner[0] + 0.0, corner[1] + 0.0, corner[2] + 0.0};
    const auto next = static_cast<std::int32_t>(mesh_.positions.size());
    const auto [vertex, is_new] = vertices_.try_emplace(place, next);
    if (is_new) mesh_.positions.push_back(place);
    if (num_corners_ % 3 == 0) mesh_.triangles.emplace_back();
    mesh_.triangles.back()[num_corners_++ % 3] = vertex->second;
  }
  // Returns the number of whole triangles.
  std::size_t num_triangles() const { return num_corners_ / 3; }
  Mesh take() { return std::move(mesh_); }

 private:
  Mesh mesh_;
  std::size_t num_corners_ = 0;
  std::unordered_map<std::array<double, 3>, std::int32_t, HashPlace> vertices_;
};

Expected<Mesh> parse_binary(const std::filesystem::path& name, std::string_view content) {
  if (content.size() < BytesBefore)
    return fail(ByteCursor(name, content).truncated("header and number of triangles", BytesBefore));
  ByteCursor cursor(name, content, BytesBefore);
  CornerMerger mesh;
  const std::uint64_t count = promised_triangles(content);
  for (std::uint64_t i = 0; i < count; ++i) {
    std::array<float, 12> numbers{};  // the normal comes first
    std::uint16_t color = 0;
    if (!cursor.read_values(numbers) || !cursor.read(color))
      return fail(cursor.truncated(fmt::format("triangle {} (of {})", i, count), TriangleBytes));
    if (!std::ranges::all_of(numbers | std::views::drop(3),
                             [](float c) { return std::isfinite(c); }))
      return fail_at({name}, "a corner of triangle {} is not finite", i);
    for (std::size_t k = 3; k < numbers.size(); k += 3)
      mesh.add({numbers[k], numbers[k + 1], numbers[k + 2]});
  }
  if (cursor.remaining() > 0)
    return fail_at({name}, "has {} bytes behind its {} triangles", cursor.remaining(), count);
  return mesh.take();
}

class TextParser {
 public:
  TextParser(const std::filesystem::path& name, std::string_view content)
      : lines_(name, content, {}) {}

  Expected<Mesh> parse() {
    while (lines_.next()) {
      THALLO_CHECK(expect("solid"));
      THALLO_CHECK(parse_solid());
    }
    return mesh_.take();
  }

 private:
  // Words are small or capital.
  bool is_next(std::string_view word) {
    return std::ranges::equal(lines_.words().peek(), word, [](char found, char wanted) {
      return std::tolower(static_cast<unsigned char>(found)) == wanted;
    });
  }
  // Fails if the next word is another one.
  Expected<void> expect(std::string_view word) {
    if (!is_next(word)) return fail(lines_.unexpected(fmt::format("'{}'", word)));
    lines_.words().word();
    return {};
  }
  Expected<void> expect_line(std::string_view word) {
    lines_.next();
    return expect(word);
  }

  Expected<void> parse_solid() {
    while (lines_.next()) {
      if (is_next("endsolid")) return {};
      if (!is_next("facet")) return fail(lines_.unexpected("'facet' or 'endsolid'"));
      THALLO_CHECK(expect_line("outer"));
      for (int corner = 0; corner < 3; ++corner) {
        THALLO_CHECK(parse_corner());
      }
      THALLO_CHECK(expect_line("endloop"));
      THALLO_CHECK(expect_line("endfacet"));
    }
    return fail(lines_.unexpected("'endsolid'"));
  }

  Expected<void> parse_corner() {
    THALLO_CHECK(expect_line("vertex"));
    std::array<double, 3> corner{};
    for (std::size_t c = 0; c < 3; ++c) {
      if (!lines_.words().read_finite(corner[c])) {
        return fail(lines_.unexpected(
            fmt::format("{} of a corner of triangle {}", "xyz"[c], mesh_.num_triangles())));
      }
    }
    mesh_.add(corner);
    if (!lines_.words().at_end()) return fail(lines_.unexpected("the end of the corner"));
    return {};
  }

  TextLines lines_;
  CornerMerger mesh_;
};

}  // namespace

bool is_stl(std::string_view content) { return is_binary(content) || begins_as_text(content); }

Expected<Mesh> parse_stl(const std::filesystem::path& name, std::string_view content) {
  // No text has a zero byte; binary content that begins like a text has some in its header.
  const bool has_zero = content.substr(0, BytesBefore).find('\0') != std::string_view::npos;
  const bool is_text = begins_as_text(content) && !is_binary(content) && !has_zero;
  auto mesh = is_text ? TextParser(name, content).parse() : parse_binary(name, content);
  if (mesh && mesh->triangles.empty()) return fail_at({name}, "has no triangle");
  return mesh;
}

Expected<void> write_stl(const std::filesystem::path& path, const Mesh& mesh) {
  std::string text = "solid\n";
  auto out = std::back_inserter(text);
  constexpr std::array<Triangle, 1> Own = {{{0, 1, 2}}};
  for (const Triangle& triangle : mesh.triangles) {
    std::array<std::array<double, 3>, 3> corners{};
    for (std::size_t k = 0; k < 3; ++k)
      corners[k] = mesh.positions[static_cast<std::size_t>(triangle[k])];
    fmt::format_to(out, "facet normal {:.9g}\nouter loop\n",
                   fmt::join(vertex_normals(Own, corners)[0], " "));
    for (const auto& corner : corners) fmt::format_to(out, "vertex {}\n", fmt::join(corner, " "));
    text += "endloop\nendfacet\n";
  }
  return write_file(path, text + "endsolid\n");
}

}  // namespace thallo
