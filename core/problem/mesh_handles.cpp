#include "core/problem/mesh_handles.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <string>

#include <fmt/format.h>

#include "core/base/io/file.h"
#include "core/base/io/text_cursor.h"
#include "core/base/option_text.h"
#include "core/base/subdivide.h"

namespace thallo {

Expected<HandledMesh> read_handled_mesh(const std::filesystem::path& path, int subdivisions) {
  auto mesh = read_mesh(path);
  if (!mesh) return fail(mesh.error());
  if (mesh->triangles.empty()) {
    return fail_at({path.string(), 0, 0}, "has no triangles; a mesh is needed");
  }
  HandledMesh input{.mesh = *std::move(mesh)};
  for (int i = 0; i < subdivisions; ++i) input.mesh = subdivide_sqrt3(input.mesh);

  // dir/armadillo.ply.gz -> dir/armadillo.mrk
  std::filesystem::path handles_path = path;
  while (handles_path.has_extension()) handles_path.replace_extension();
  handles_path += ".mrk";
  if (!std::filesystem::exists(handles_path)) {
    input.handles = end_handles(input.mesh);
    return input;
  }
  THALLO_TRY(const auto text, read_file(handles_path));
  auto handles =
      parse_handles(handles_path, text, static_cast<std::int64_t>(input.mesh.positions.size()));
  if (!handles) return fail(handles.error());
  input.handles = *std::move(handles);
  return input;
}

std::vector<MeshHandle> end_handles(const Mesh& mesh) {
  constexpr std::size_t y = 1;
  constexpr double share_of_height = 0.1;
  const auto& positions = mesh.positions;
  std::vector<std::int32_t> by_height(positions.size());
  std::iota(by_height.begin(), by_height.end(), 0);
  std::ranges::stable_sort(by_height, {}, [&](std::int32_t vertex) {
    return positions[static_cast<std::size_t>(vertex)][y];
  });
  const std::size_t num_each = std::min(num_end_handles, positions.size() / 2);
  const auto position = [&](std::int32_t vertex) {
    return positions[static_cast<std::size_t>(vertex)];
  };
  const double lift =
      share_of_height * (position(by_height.back())[y] - position(by_height.front())[y]);
  std::vector<MeshHandle> handles;
  for (std::size_t i = 0; i < num_each; ++i) {
    const std::int32_t low = by_height[i];
    const std::int32_t high = by_height[by_height.size() - 1 - i];
    handles.push_back({low, position(low)});
    handles.push_back({high, position(high)});
    handles.back().goal[y] += lift;
  }
  return handles;
}

Expected<std::vector<MeshHandle>> parse_handles(const std::filesystem::path& file,
                                                std::string_view text, std::int64_t num_vertices) {
  TextCursor cursor(file.string(), text);
  int count = 0;
  if (!cursor.read(count) || count < 0) return fail(cursor.unexpected("the number of handles"));
  std::vector<MeshHandle> handles;
  for (int n = 0; n < count; ++n) {
    const std::string what = fmt::format("handle {} of {} (x y z radius vertex)", n + 1, count);
    MeshHandle handle;
    double radius = 0;
    for (double* number : {&handle.goal[0], &handle.goal[1], &handle.goal[2], &radius}) {
      if (!cursor.read(*number)) return fail(cursor.unexpected(what));
    }
    cursor.at_end();
    const SourceLocation where = cursor.where();
    if (!cursor.read(handle.vertex)) return fail(cursor.unexpected(what));
    if (handle.vertex < 0 || handle.vertex >= num_vertices) {
      return fail_at(where,
                     "handle {} pulls vertex {}; the mesh has {}, counted from 0 (a mesh that was "
                     "refined for its handles needs {})",
                     n + 1, handle.vertex, num_vertices, option_text("subdivisions"));
    }
    handles.push_back(handle);
  }
  if (!cursor.at_end()) return fail(cursor.unexpected("the end of the file"));
  return handles;
}

std::vector<double> blend_handles(const HandledMesh& input, double fraction) {
  std::vector<double> constraints(3 * input.mesh.positions.size(),
                                  -std::numeric_limits<double>::infinity());
  for (const MeshHandle& handle : input.handles) {
    const auto vertex = static_cast<std::size_t>(handle.vertex);
    for (std::size_t c = 0; c < 3; ++c) {
      const double start = input.mesh.positions[vertex][c];
      constraints[3 * vertex + c] = start + fraction * (handle.goal[c] - start);
    }
  }
  return constraints;
}

}  // namespace thallo
