// Draws pictures of triangle meshes and point clouds: shaded, in an orthographic projection, side
// by side in the same view so that they can be compared.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "core/base/io/image.h"
#include "core/base/io/mesh.h"
#include "core/problem/report/canvas.h"

namespace thallo {

// A dot in space with a goal, to which a line is drawn.
struct MeshMarker {
  std::array<double, 3> at{};
  std::array<double, 3> goal{};
  Rgb color{};
};

struct MeshPanel {
  // Drawn in its own colors, or in the color of clay if it has none. Vertices that belong to no
  // triangle are drawn as dots.
  Mesh mesh;
  std::vector<MeshMarker> markers = {};
};

struct MeshView {
  std::array<double, 3> from = {0.45, 0.35, 1};  // direction from the mesh to the viewer
  std::array<double, 3> up = {0, 1, 0};
  int size = 420;          // width and height of a panel in pixels
  bool show_edges = true;  // if triangles are large enough
  int samples = 3;         // per pixel in each direction
  double zoom = 1;         // 1 shows everything, except dots that are far out
};

Image draw_meshes(std::span<const MeshPanel> panels, const MeshView& view = {});

}  // namespace thallo
