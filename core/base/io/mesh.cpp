#include "core/base/io/mesh.h"

#include <algorithm>
#include <cmath>

#include "core/base/io/file.h"
#include "core/base/io/obj.h"
#include "core/base/io/off.h"
#include "core/base/io/ply.h"
#include "core/base/io/stl.h"

namespace thallo {

double white_of(std::string_view type) {
  if (type == "float" || type == "double") return 1;
  return type == "ushort" ? 65535 : 255;
}

std::array<std::uint8_t, 3> Mesh::color_bytes(std::size_t vertex) const {
  std::array<std::uint8_t, 3> bytes{};
  for (std::size_t c = 0; c < 3; ++c) {
    const double share = colors[vertex][c] / white();
    bytes[c] = static_cast<std::uint8_t>(std::lround(share > 0 ? 255 * std::min(share, 1.0) : 0));
  }
  return bytes;
}

Expected<Mesh> parse_mesh(const std::filesystem::path& name, std::string_view content) {
  if (is_ply(content)) return parse_ply(name, content);
  if (is_off(content)) return parse_off(name, content);
  if (is_stl(content)) return parse_stl(name, content);
  if (is_obj(content)) return parse_obj(name, content);
  return fail(
      Diagnostic{"is not a mesh that can be read", {name, 0, 0}, {"ply", "off", "obj", "stl"}});
}

Expected<Mesh> read_mesh(const std::filesystem::path& path) { return read_as<parse_mesh>(path); }

Expected<void> write_mesh(const std::filesystem::path& path, const Mesh& mesh) {
  const std::string suffix = suffix_of(path);
  if (suffix == ".ply") return write_ply(path, mesh);
  if (suffix == ".off") return write_off(path, mesh);
  if (suffix == ".obj") return write_obj(path, mesh);
  if (suffix == ".stl") return write_stl(path, mesh);
  return fail(Diagnostic{"is not the name of a mesh that can be written",
                         {path, 0, 0},
                         {".ply", ".off", ".obj", ".stl"}});
}

Expected<void> check_writable(const std::filesystem::path& path, const Mesh& mesh) {
  for (const std::size_t count : {mesh.normals.size(), mesh.colors.size()}) {
    if (count != 0 && count != mesh.positions.size()) {
      return fail_at({path}, "cannot be written: {} normals or colors for {} vertices", count,
                     mesh.positions.size());
    }
  }
  return {};
}

}  // namespace thallo
