#include "problems/shape_from_shading/surface.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

namespace thallo::shape_from_shading {
namespace {

bool has_normal(const DepthInput& input, int x, int y) {
  return input.measured(x, y) && input.measured(x - 1, y) && input.measured(x, y - 1);
}

// The mean of the three pixels that a normal is made from, weighted as in the energy.
double brightness_at(const Image& brightness, int x, int y) {
  const auto at = [&](int u, int v) { return static_cast<double>(brightness.at(u, v)); };
  return 0.5 * at(x, y) + 0.25 * (at(x - 1, y) + at(x, y - 1));
}

}  // namespace

Vector3 point_at(const Camera& camera, const Image& depth, int x, int y) {
  const double z = static_cast<double>(depth.at(x, y));
  return {(x - camera.principal_point[0]) / camera.focal_length[0] * z,
          (y - camera.principal_point[1]) / camera.focal_length[1] * z, z};
}

Vector3 normal_at(const Camera& camera, const Image& depth, int x, int y) {
  const Vector3 here = point_at(camera, depth, x, y);
  const Vector3 normal =
      cross(point_at(camera, depth, x, y - 1) - here, point_at(camera, depth, x - 1, y) - here);
  return length(normal) > 0 ? normalized(normal) : Vector3{0, 0, -1};
}

double reflected(const Light& light, const Vector3& normal) {
  const auto [x, y, z] = normal;
  const std::array<double, 9> basis = {
      1, y, z, x, x * y, y * z, 2 * z * z - x * x - y * y, z * x, x * x - y * y};
  double sum = 0;
  for (std::size_t k = 0; k < basis.size(); ++k) sum += light[k] * basis[k];
  return sum;
}

double shading_error(const DepthInput& input, const Image& depth) {
  const auto difference = [&](int x, int y) {
    return reflected(input.light, normal_at(input.camera, depth, x, y)) -
           brightness_at(input.brightness, x, y);
  };
  double sum = 0;
  std::int64_t count = 0;
  for (int y = 1; y + 1 < input.height(); ++y) {
    for (int x = 1; x + 1 < input.width(); ++x) {
      if (!has_normal(input, x, y)) continue;
      const std::size_t at = depth.index(x, y);
      const auto compare = [&](bool compares, int u, int v) {
        if (!compares || !has_normal(input, u, v)) return;
        sum += std::pow(difference(x, y) - difference(u, v), 2);
        ++count;
      };
      compare(input.compares_right[at] != 0, x + 1, y);
      compare(input.compares_down[at] != 0, x, y + 1);
    }
  }
  return count == 0 ? 0 : std::sqrt(sum / static_cast<double>(count));
}

SurfaceError compare_surfaces(const DepthInput& input, const Image& depth, const Image& truth) {
  constexpr double Degrees = 180 / 3.14159265358979323846;
  SurfaceError error;
  double count = 0;
  for (int y = 0; y < input.height(); ++y) {
    for (int x = 0; x < input.width(); ++x) {
      if (!has_normal(input, x, y)) continue;
      const double away =
          1000 * (static_cast<double>(depth.at(x, y)) - static_cast<double>(truth.at(x, y)));
      error.depth_mm += away * away;
      const double cosine =
          dot(normal_at(input.camera, depth, x, y), normal_at(input.camera, truth, x, y));
      error.normals_degrees += Degrees * std::acos(std::clamp(cosine, -1.0, 1.0));
      ++count;
    }
  }
  if (count == 0) return {};
  return {std::sqrt(error.depth_mm / count), error.normals_degrees / count};
}

Image render_surface(const DepthInput& input, const Image& depth) {
  constexpr Vector3 Lamp = {-0.51, -0.51, -0.69};
  constexpr double Ambient = 0.12;
  Image picture(depth.width, depth.height, 1);
  std::ranges::fill(picture.data, 1.0f);
  for (int y = 0; y < depth.height; ++y) {
    for (int x = 0; x < depth.width; ++x) {
      if (!has_normal(input, x, y)) continue;
      const double cosine = dot(normal_at(input.camera, depth, x, y), Lamp);
      picture.at(x, y) = static_cast<float>(Ambient + (1 - Ambient) * std::max(0.0, cosine));
    }
  }
  return picture;
}

Image render_ball(const Light& light) {
  constexpr int Size = 200;
  Image picture(Size, Size, 1);
  std::ranges::fill(picture.data, 1.0f);
  const auto for_each_pixel = [](auto visit) {
    for (int y = 0; y < Size; ++y) {
      for (int x = 0; x < Size; ++x) {
        const double u = (x + 0.5) / Size * 2 - 1;
        const double v = (y + 0.5) / Size * 2 - 1;
        const double squared = 1 - u * u - v * v;
        if (squared >= 0) visit(x, y, Vector3{u, v, -std::sqrt(squared)});
      }
    }
  };
  double darkest = std::numeric_limits<double>::infinity();
  double brightest = -darkest;
  for_each_pixel([&](int, int, const Vector3& normal) {
    darkest = std::min(darkest, reflected(light, normal));
    brightest = std::max(brightest, reflected(light, normal));
  });
  const double range = std::max(brightest - darkest, 1e-6);
  for_each_pixel([&](int x, int y, const Vector3& normal) {
    const double share = (reflected(light, normal) - darkest) / range;
    picture.at(x, y) = static_cast<float>(0.1 + 0.85 * share);
  });
  return picture;
}

Mesh make_mesh(const DepthInput& input, const Image& depth) {
  Mesh mesh;
  std::vector<std::int32_t> vertex_of(depth.data.size(), -1);
  for (int y = 0; y < depth.height; ++y) {
    for (int x = 0; x < depth.width; ++x) {
      if (!input.measured(x, y)) continue;
      vertex_of[depth.index(x, y)] = static_cast<std::int32_t>(mesh.positions.size());
      const Vector3 point = point_at(input.camera, depth, x, y);
      mesh.positions.push_back({point[0], -point[1], -point[2]});
    }
  }
  const auto add_triangle = [&mesh](std::int32_t a, std::int32_t b, std::int32_t c) {
    if (a >= 0 && b >= 0 && c >= 0) mesh.triangles.push_back({a, b, c});
  };
  for (int y = 0; y + 1 < depth.height; ++y) {
    for (int x = 0; x + 1 < depth.width; ++x) {
      const std::int32_t right = vertex_of[depth.index(x + 1, y)];
      const std::int32_t below = vertex_of[depth.index(x, y + 1)];
      add_triangle(vertex_of[depth.index(x, y)], below, right);
      add_triangle(vertex_of[depth.index(x + 1, y + 1)], right, below);
    }
  }
  return mesh;
}

}  // namespace thallo::shape_from_shading
