// Rasterizes triangles and dots into a depth buffer with several samples per pixel, which are
// averaged. Colors are shaded at the vertices, interpolated, and darkened near the sides of a
// triangle.
#include "core/problem/report/mesh_view.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "core/base/mesh.h"
#include "core/base/stop_scope.h"

namespace thallo {
namespace {

// Tells for each vertex whether it is a corner of a triangle.
std::vector<bool> corners_of(const Mesh& mesh) {
  std::vector<bool> is_corner(mesh.positions.size());
  for (const Triangle& triangle : mesh.triangles)
    for (const std::int32_t vertex : triangle) is_corner[static_cast<std::size_t>(vertex)] = true;
  return is_corner;
}

constexpr Rgb Clay = {206, 188, 164};
constexpr double DotRadius = 1.2;  // pixels

// The share of dots at each end of an axis that may be out of sight: a few badly triangulated
// points can be very far away.
constexpr double FarOut = 0.005;

// An interval of values along an axis.
struct Range {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();

  // Extends the range by these values, ignoring those below the quantile `out` and above 1 - `out`.
  void include(std::vector<double>& places, double out) {
    std::erase_if(places, [](double at) { return !std::isfinite(at); });
    if (places.empty()) return;
    const auto skipped = static_cast<std::ptrdiff_t>(out * static_cast<double>(places.size()));
    const auto first = places.begin() + skipped;
    std::ranges::nth_element(places, first);
    low = std::min(low, *first);
    const auto last = places.end() - 1 - skipped;
    std::ranges::nth_element(places, last);
    high = std::max(high, *last);
  }
  double center() const { return low <= high ? (low + high) / 2 : 0; }
  double length() const { return low <= high ? high - low : 0; }
};

// The orthographic view: its axes right, up and toward the viewer, and their mapping to the pixels
// of a panel. All meshes and goals are visible.
class Projection {
 public:
  Projection(const MeshView& view, std::span<const MeshPanel> panels, int size) : size_(size) {
    const Vector3 toward = normalized(view.from);
    const Vector3 right = normalized(cross(view.up, toward));
    axes_ = {right, cross(toward, right), toward};
    double extent = 1e-30;
    for (std::size_t k = 0; k < 2; ++k) {
      const Range range = range_along(axes_[k], panels);
      center_[k] = range.center();
      extent = std::max(extent, range.length());
    }
    scale_ = 0.9 * view.zoom * size / extent;
  }

  // Returns pixel x, pixel y, and height toward the viewer.
  Vector3 operator()(const Vector3& point) const {
    return {size_ / 2.0 + scale_ * (dot(axes_[0], point) - center_[0]),
            size_ / 2.0 - scale_ * (dot(axes_[1], point) - center_[1]),
            scale_ * dot(axes_[2], point)};
  }
  Vector3 seen(const Vector3& normal) const {
    return {dot(axes_[0], normal), dot(axes_[1], normal), dot(axes_[2], normal)};
  }

 private:
  static Range range_along(const Vector3& axis, std::span<const MeshPanel> panels) {
    Range range;
    for (const MeshPanel& panel : panels) {
      std::vector<double> of_surface, of_dots;
      const std::vector<bool> is_corner = corners_of(panel.mesh);
      for (std::size_t vertex = 0; vertex < is_corner.size(); ++vertex) {
        (is_corner[vertex] ? of_surface : of_dots)
            .push_back(dot(axis, panel.mesh.positions[vertex]));
      }
      for (const MeshMarker& marker : panel.markers) of_surface.push_back(dot(axis, marker.goal));
      range.include(of_surface, 0);
      range.include(of_dots, FarOut);
    }
    return range;
  }

  std::array<Vector3, 3> axes_;
  std::array<double, 2> center_{};
  double scale_ = 1;
  int size_;
};

// Uses a key light from the upper left and a weak one from the right; both sides of the surface are
// lit.
double brightness(const Vector3& normal) {
  const double sign = normal[2] < 0 ? -1 : 1;
  const auto lit = [&](const Vector3& light) {
    const Vector3 l = normalized(light);
    return std::max(0.0, sign * dot(normal, l));
  };
  return 0.22 + 0.68 * lit({-0.5, 0.8, 0.9}) + 0.18 * lit({0.9, -0.1, 0.5});
}

class Rasterizer {
 public:
  explicit Rasterizer(int size)
      : size_(size),
        pixels_(size, size, 3),
        depth_(pixels_.data.size() / 3, -std::numeric_limits<double>::infinity()) {
    std::ranges::fill(pixels_.data, 1.0f);
  }

  void triangle(const std::array<Vector3, 3>& corner, const std::array<Vector3, 3>& color,
                double edge_darkness) {
    const auto side = [](const Vector3& a, const Vector3& b, double x, double y) {
      return (b[0] - a[0]) * (y - a[1]) - (b[1] - a[1]) * (x - a[0]);
    };
    const double area = side(corner[0], corner[1], corner[2][0], corner[2][1]);
    if (!(std::abs(area) > 0)) return;  // also if a corner is NaN
    const auto [left, right] = std::minmax({corner[0][0], corner[1][0], corner[2][0]});
    const auto [top, bottom] = std::minmax({corner[0][1], corner[1][1], corner[2][1]});
    std::array<double, 3> height{};  // of the triangle above each side, in pixels
    for (std::size_t k = 0; k < 3; ++k) {
      const Vector3& a = corner[(k + 1) % 3];
      const Vector3& b = corner[(k + 2) % 3];
      height[k] = std::abs(area) / std::max(1e-9, std::hypot(b[0] - a[0], b[1] - a[1]));
    }
    for (int y = std::max(0, static_cast<int>(top)); y <= std::min(size_ - 1.0, bottom); ++y) {
      for (int x = std::max(0, static_cast<int>(left)); x <= std::min(size_ - 1.0, right); ++x) {
        Vector3 weight{};
        for (std::size_t k = 0; k < 3; ++k) {
          weight[k] = side(corner[(k + 1) % 3], corner[(k + 2) % 3], x, y) / area;
        }
        if (std::ranges::min(weight) < 0) continue;
        double depth = 0;
        double edge = 1e9;
        for (std::size_t k = 0; k < 3; ++k) {
          depth += weight[k] * corner[k][2];
          edge = std::min(edge, weight[k] * height[k]);
        }
        const std::size_t at = pixels_.index(x, y) / 3;
        if (depth <= depth_[at]) continue;
        depth_[at] = depth;
        const double darken = 1 - edge_darkness * std::clamp(1.6 - edge, 0.0, 1.0);
        for (std::size_t c = 0; c < 3; ++c) {
          double value = 0;
          for (std::size_t k = 0; k < 3; ++k) value += weight[k] * color[k][c];
          pixels_.data[3 * at + c] = static_cast<float>(std::min(1.0, value * darken));
        }
      }
    }
  }

  // Draws a flat disc.
  void dot(const Vector3& center, double radius, const Vector3& color) {
    if (!std::isfinite(center[0] + center[1] + center[2])) return;
    const auto first = [&](double at) { return std::clamp(at - radius, 0.0, 1.0 * size_); };
    const auto last = [&](double at) { return std::clamp(at + radius, -1.0, size_ - 1.0); };
    for (int y = static_cast<int>(std::ceil(first(center[1]))); y <= last(center[1]); ++y) {
      for (int x = static_cast<int>(std::ceil(first(center[0]))); x <= last(center[0]); ++x) {
        if (std::hypot(x - center[0], y - center[1]) > radius) continue;
        const std::size_t at = pixels_.index(x, y) / 3;
        if (center[2] <= depth_[at]) continue;
        depth_[at] = center[2];
        for (std::size_t c = 0; c < 3; ++c) pixels_.data[3 * at + c] = static_cast<float>(color[c]);
      }
    }
  }

  const Image& pixels() const { return pixels_; }

 private:
  int size_;
  Image pixels_;
  std::vector<double> depth_;
};

Vector3 color_of(const Mesh& mesh, std::size_t vertex, double light) {
  const Rgb base = mesh.colors.empty() ? Clay : mesh.color_bytes(vertex);
  return {light * base[0] / 255.0, light * base[1] / 255.0, light * base[2] / 255.0};
}

void draw_triangles(Rasterizer& raster, const Mesh& mesh, const MeshView& view,
                    const Projection& project) {
  const auto normals = vertex_normals(mesh.triangles, mesh.positions);
  // If triangles are small, their edges would hide everything else.
  const double pixels_a_triangle =
      view.size * view.size / (1.0 + static_cast<double>(mesh.triangles.size()));
  const double edge_darkness =
      view.show_edges ? 0.45 * std::clamp((pixels_a_triangle - 12) / 60, 0.0, 1.0) : 0.0;
  for (const Triangle& t : mesh.triangles) {
    check_stop();
    std::array<Vector3, 3> corner;
    std::array<Vector3, 3> color;
    for (std::size_t k = 0; k < 3; ++k) {
      const auto vertex = static_cast<std::size_t>(t[k]);
      corner[k] = project(mesh.positions[vertex]);
      color[k] = color_of(mesh, vertex, brightness(project.seen(normals[vertex])));
    }
    raster.triangle(corner, color, edge_darkness);
  }
}

Image draw_mesh(const Mesh& mesh, const MeshView& view, const Projection& project) {
  const int samples = view.samples;
  const int size = samples * view.size;
  Rasterizer raster(size);
  draw_triangles(raster, mesh, view, project);
  const std::vector<bool> is_corner = corners_of(mesh);
  for (std::size_t vertex = 0; vertex < is_corner.size(); ++vertex) {
    if (is_corner[vertex]) continue;
    raster.dot(project(mesh.positions[vertex]), DotRadius * samples, color_of(mesh, vertex, 1));
  }
  Image small(view.size, view.size, 3);
  const float share = 1.0f / static_cast<float>(samples * samples);  // of a sample in its pixel
  for (int y = 0; y < size; ++y) {
    for (int x = 0; x < size; ++x) {
      for (int c = 0; c < 3; ++c) {
        small.at(x / samples, y / samples, c) += share * raster.pixels().at(x, y, c);
      }
    }
  }
  return small;
}

}  // namespace

Image draw_meshes(std::span<const MeshPanel> panels, const MeshView& view) {
  const Projection fine(view, panels, view.samples * view.size);
  const Projection coarse(view, panels, view.size);
  Canvas canvas(view.size * static_cast<int>(panels.size()), view.size);
  for (std::size_t i = 0; i < panels.size(); ++i) {
    const int left = view.size * static_cast<int>(i);
    canvas.paste(draw_mesh(panels[i].mesh, view, fine), left);
    canvas.clip(left, left + view.size);
    for (const MeshMarker& marker : panels[i].markers) {
      const Vector3 at = coarse(marker.at);
      const Vector3 goal = coarse(marker.goal);
      canvas.line({left + at[0], at[1]}, {left + goal[0], goal[1]}, {marker.color, 1.6, 0.8});
      canvas.dot({left + at[0], at[1]}, {{255, 255, 255}, 9.0, 1});
      canvas.dot({left + at[0], at[1]}, {marker.color, 7.0, 1});
    }
  }
  return canvas.take();
}

}  // namespace thallo
