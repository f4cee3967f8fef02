#include "problems/robust_nonrigid_alignment/tetrahedra.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/base/io/text_cursor.h"

namespace thallo::robust_nonrigid_alignment {

Expected<std::vector<Tetrahedron>> parse_tetrahedra(const std::filesystem::path& file,
                                                    std::string_view text,
                                                    std::int64_t num_vertices) {
  TextCursor cursor(file.string(), text);
  std::int64_t count = 0;
  std::int64_t num_attributes = 0;
  cursor.skip_comments('#');
  if (!cursor.read(count) || count < 0) return fail(cursor.unexpected("the number of tetrahedra"));
  if (cursor.peek() != "4") return fail(cursor.unexpected("4, the number of corners"));
  cursor.word();
  if (!cursor.read(num_attributes) || num_attributes < 0)
    return fail(cursor.unexpected("the number of attributes"));

  std::vector<Tetrahedron> tetrahedra;
  std::int64_t base = 0;
  for (std::int64_t n = 0; n < count; ++n) {
    cursor.skip_comments('#');
    std::int64_t number = 0;
    if (!cursor.read(number))
      return fail(
          cursor.unexpected(fmt::format("the number of tetrahedron {} of {}", n + 1, count)));
    if (n == 0) base = number == 0 ? 0 : 1;
    Tetrahedron corners{};
    for (std::int32_t& corner : corners) {
      std::int64_t vertex = 0;
      cursor.at_end();
      const std::size_t where = cursor.offset();
      if (!cursor.read(vertex)) return fail(cursor.unexpected("a corner of a tetrahedron"));
      if (vertex < base || vertex - base >= num_vertices) {
        return fail_at(cursor.where_at(where),
                       "tetrahedron {} has vertex {}; the mesh has {}, counted from {}", number,
                       vertex, num_vertices, base);
      }
      corner = static_cast<std::int32_t>(vertex - base);
    }
    for (std::int64_t a = 0; a < num_attributes; ++a) cursor.word();
    tetrahedra.push_back(corners);
  }
  cursor.skip_comments('#');
  if (!cursor.at_end()) return fail(cursor.unexpected("the end of the file"));
  return tetrahedra;
}

std::vector<std::array<std::int32_t, 2>> edges_of(std::span<const Tetrahedron> tetrahedra) {
  std::vector<std::array<std::int32_t, 2>> edges;
  edges.reserve(12 * tetrahedra.size());
  for (const Tetrahedron& corners : tetrahedra)
    for (const std::int32_t v : corners)
      for (const std::int32_t u : corners)
        if (v != u) edges.push_back({v, u});
  std::ranges::sort(edges);
  edges.erase(std::ranges::unique(edges).begin(), edges.end());
  return edges;
}

}  // namespace thallo::robust_nonrigid_alignment
