#include "problems/pose_graph/graph_view.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/problem/report/canvas.h"

namespace thallo::pose_graph {
namespace {

using Place = std::array<double, 2>;

// Blue, green, orange along the walk.
Rgb color_along(std::size_t index, std::size_t count) {
  constexpr Rgb Scale[] = {{40, 80, 190}, {30, 150, 120}, {230, 120, 30}};
  return color_on(Scale, static_cast<double>(index) / std::max(1.0, static_cast<double>(count)));
}

// The positions in the picture, right and up, before scaling; `numbers` has `size` for each.
std::vector<Place> flattened(int dimension, const std::vector<double>& numbers, std::size_t size) {
  std::vector<Place> places;
  for (std::size_t at = 0; at < numbers.size(); at += size) {
    const double x = numbers[at];
    const double y = numbers[at + 1];
    if (dimension == 2) {
      places.push_back({x, y});
    } else {
      constexpr double Turn = 0.6;   // radians about the vertical
      constexpr double Raise = 0.5;  // of the viewer above the horizon
      const double depth = std::sin(Turn) * x + std::cos(Turn) * y;
      places.push_back({std::cos(Turn) * x - std::sin(Turn) * y,
                        std::cos(Raise) * numbers[at + 2] + std::sin(Raise) * depth});
    }
  }
  return places;
}

// A square around a point: its reach to each side.
struct Frame {
  Place center = {0, 0};
  double reach = 1e-30;
};

// The frame of both pictures: that of the result, made wider if the start drifts out of it, but by
// no more than half, for some starts are nowhere near.
Frame frame_of(const std::vector<Place>& before, const std::vector<Place>& after) {
  constexpr double Most = 1.5;
  Frame frame;
  const auto reach_of = [&](const std::vector<Place>& places) {
    double reach = frame.reach;
    for (const Place& p : places) {
      for (std::size_t k = 0; k < 2; ++k) reach = std::max(reach, std::abs(p[k] - frame.center[k]));
    }
    return reach;
  };
  for (std::size_t k = 0; k < 2; ++k) {
    const auto [low, high] = std::ranges::minmax(after, {}, [k](const Place& p) { return p[k]; });
    frame.center[k] = (low[k] + high[k]) / 2;
  }
  const double reach = reach_of(after);
  frame.reach = std::clamp(reach_of(before), reach, Most * reach);
  return frame;
}

}  // namespace

Image draw_graphs(const PoseGraph& before, const PoseGraph& after) {
  constexpr int Size = 460;
  constexpr int Gap = 8;
  const std::array<const PoseGraph*, 2> graphs = {&before, &after};
  std::array<std::vector<Place>, 2> panels, landmarks;
  for (std::size_t panel = 0; panel < 2; ++panel) {
    const PoseGraph& graph = *graphs[panel];
    panels[panel] = flattened(graph.dimension, graph.poses, graph.pose_size());
    landmarks[panel] = flattened(graph.dimension, graph.landmarks.positions,
                                 static_cast<std::size_t>(graph.dimension));
  }
  const Frame frame = frame_of(panels[0], panels[1]);
  const double scale = 0.46 * Size / frame.reach;

  Canvas canvas(2 * Size + Gap, Size);
  for (std::size_t panel = 0; panel < 2; ++panel) {
    const int left = static_cast<int>(panel) * (Size + Gap);
    canvas.clip(left, left + Size);
    const auto drawn_at = [&](const Place& p) -> Place {
      return {left + Size / 2.0 + scale * (p[0] - frame.center[0]),
              Size / 2.0 - scale * (p[1] - frame.center[1])};
    };
    const auto place = [&](std::int32_t vertex) {
      return drawn_at(panels[panel][static_cast<std::size_t>(vertex)]);
    };
    for (const Place& landmark : landmarks[panel])
      canvas.dot(drawn_at(landmark), {{200, 60, 60}, 3, 0.7});
    for (const auto& [i, j] : before.edges) {
      if (j != i + 1) canvas.line(place(i), place(j), {{150, 150, 150}, 0.8, 0.35});
    }
    for (const auto& [i, j] : before.edges) {
      if (j != i + 1) continue;
      const Rgb color = color_along(static_cast<std::size_t>(i), before.num_vertices());
      canvas.line(place(i), place(j), {color, 1.3, 0.9});
    }
  }
  return canvas.take();
}

Mesh make_trajectory(const PoseGraph& graph) {
  Mesh mesh;
  const std::size_t size = graph.pose_size();
  for (std::size_t i = 0; i < graph.num_vertices(); ++i) {
    mesh.positions.push_back({graph.poses[size * i], graph.poses[size * i + 1],
                              graph.dimension == 2 ? 0.0 : graph.poses[size * i + 2]});
    mesh.add_color(color_along(i, graph.num_vertices()));
  }
  return mesh;
}

}  // namespace thallo::pose_graph
