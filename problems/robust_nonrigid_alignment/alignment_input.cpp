#include "problems/robust_nonrigid_alignment/alignment_input.h"

#include <algorithm>
#include <system_error>
#include <utility>

#include "core/base/io/file.h"
#include "core/base/mesh.h"
#include "core/base/option_text.h"
#include "problems/robust_nonrigid_alignment/tetrahedra.h"

namespace thallo::robust_nonrigid_alignment {
namespace {

Expected<Mesh> read_surface(const std::filesystem::path& path) {
  auto mesh = read_mesh(path);
  if (mesh && mesh->triangles.empty())
    return fail_at({path.string(), 0, 0}, "has no triangles; a mesh is needed");
  return mesh;
}

// The file and those behind it in its folder.
std::vector<std::filesystem::path> sequence_from(const std::filesystem::path& first,
                                                 std::size_t count) {
  std::vector<std::filesystem::path> behind;
  const std::filesystem::path folder = first.has_parent_path() ? first.parent_path() : ".";
  std::error_code error;  // an absent folder is reported when the first file is read
  for (const auto& entry : std::filesystem::directory_iterator(folder, error))
    if (entry.path().filename() > first.filename()) behind.push_back(entry.path());
  std::ranges::sort(behind);
  if (behind.size() >= count) behind.resize(count - 1);
  behind.insert(behind.begin(), first);
  return behind;
}

}  // namespace

std::vector<std::array<std::int32_t, 2>> surface_edges(const Mesh& mesh) {
  const MeshEdges directed =
      directed_edges(mesh.triangles, static_cast<std::int64_t>(mesh.positions.size()));
  std::vector<std::array<std::int32_t, 2>> edges;
  edges.reserve(directed.size());
  for (std::size_t e = 0; e < directed.size(); ++e)
    edges.push_back({directed.v0[e], directed.v1[e]});
  return edges;
}

Expected<AlignmentInput> read_alignment_input(const AlignmentFiles& files) {
  if (files.scan.empty())
    return fail("{} names the scan that {} is aligned with; it is missing", option_text("target"),
                files.source.string());
  THALLO_TRY(auto source, read_surface(files.source));
  AlignmentInput input;
  input.source = std::move(source);
  if (files.tetrahedra.empty()) {
    input.edges = surface_edges(input.source);
  } else {
    THALLO_TRY(const auto text, read_file(files.tetrahedra));
    THALLO_TRY(const auto tetrahedra,
               parse_tetrahedra(files.tetrahedra, text,
                                static_cast<std::int64_t>(input.source.positions.size())));
    input.edges = edges_of(tetrahedra);
  }
  for (const std::filesystem::path& path : sequence_from(files.scan, files.num_scans)) {
    THALLO_TRY(auto scan, read_surface(path));
    scan.normals = vertex_normals(scan.triangles, scan.positions);
    input.scans.push_back(std::move(scan));
  }
  return input;
}

}  // namespace thallo::robust_nonrigid_alignment
