#include <cstddef>
#include <iterator>
#include <map>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/io/file.h"
#include "core/base/io/g2o.h"
#include "core/base/io/toro.h"

namespace thallo {
namespace {

class G2oWriter {
 public:
  explicit G2oWriter(const PoseGraph& graph) : graph_(graph) {}

  std::string toro_text() {
    for (std::size_t i = 0; i < graph_.num_vertices(); ++i) {
      add("VERTEX{} {}", graph_.dimension, graph_.ids[i]);
      const Numbers pose = part(graph_.poses, i, graph_.pose_size());
      if (graph_.dimension == 2) {
        end_line(pose);
      } else {
        add(" {} {}\n", fmt::join(pose.first(3), " "), fmt::join(toro_angles(&pose[3]), " "));
      }
    }
    for (const std::int32_t vertex : graph_.fixed) add("FIX {}\n", vertex_id(vertex));
    for (std::size_t e = 0; e < graph_.num_edges(); ++e) {
      const auto& [i, j] = graph_.edges[e];
      add("EDGE{} {} {}", graph_.dimension, vertex_id(i), vertex_id(j));
      end_line(part(graph_.toro_edges, e, graph_.toro_edges.size() / graph_.num_edges()));
    }
    return std::move(text_);
  }

  std::string text() {
    const bool is_planar = graph_.dimension == 2;
    const std::size_t size = graph_.pose_size();
    const auto point_size = static_cast<std::size_t>(graph_.dimension);
    const PoseGraph::Landmarks& landmarks = graph_.landmarks;
    const PoseGraph::Sightings& seen = graph_.sightings;
    const PoseGraph::Priors& priors = graph_.priors;
    number_sensors(seen.sensors);
    number_sensors(priors.sensors);

    for (std::size_t i = 0; i < graph_.num_vertices(); ++i) {
      add("VERTEX_{} {}", is_planar ? "SE2" : "SE3:QUAT", graph_.ids[i]);
      end_line(part(graph_.poses, i, size));
    }
    for (std::size_t i = 0; i < landmarks.size(); ++i) {
      add("VERTEX_{} {}", is_planar ? "XY" : "TRACKXYZ", landmarks.ids[i]);
      end_line(part(landmarks.positions, i, point_size));
    }
    for (const std::int32_t vertex : graph_.fixed) add("FIX {}\n", vertex_id(vertex));
    for (const std::int32_t landmark : landmarks.fixed) add("FIX {}\n", landmark_id(landmark));
    for (std::size_t e = 0; e < graph_.num_edges(); ++e) {
      const auto& [i, j] = graph_.edges[e];
      add("EDGE_{} {} {}", is_planar ? "SE2" : "SE3:QUAT", vertex_id(i), vertex_id(j));
      end_line(part(graph_.measurements, e, size), graph_.information, e, graph_.tangent_size());
    }
    for (std::size_t s = 0; s < seen.size(); ++s) {
      const auto& [vertex, landmark] = seen.edges[s];
      add("EDGE_{} {} {}", is_planar ? "SE2_XY" : "SE3_TRACKXYZ", vertex_id(vertex),
          landmark_id(landmark));
      add_sensor(seen.sensors, s);
      end_line(part(seen.measurements, s, point_size), seen.information, s, point_size);
    }
    for (std::size_t p = 0; p < priors.size(); ++p) {
      add("EDGE_{} {}", is_planar ? "PRIOR_SE2" : "SE3_PRIOR", vertex_id(priors.vertices[p]));
      add_sensor(priors.sensors, p);
      end_line(part(priors.measurements, p, size), priors.information, p, graph_.tangent_size());
    }
    return std::move(text_);
  }

 private:
  using Numbers = std::span<const double>;

  template <class... Args>
  void add(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Args>(args)...);
  }

  static Numbers part(const std::vector<double>& numbers, std::size_t at, std::size_t size) {
    return Numbers(numbers).subspan(at * size, size);
  }
  std::int64_t vertex_id(std::int32_t vertex) const {
    return graph_.ids[static_cast<std::size_t>(vertex)];
  }
  std::int64_t landmark_id(std::int32_t landmark) const {
    return graph_.landmarks.ids[static_cast<std::size_t>(landmark)];
  }

  void end_line(Numbers numbers) { add(" {}\n", fmt::join(numbers, " ")); }
  void end_line(Numbers numbers, const std::vector<double>& information, std::size_t at,
                std::size_t size) {
    add(" {}", fmt::join(numbers, " "));
    for (std::size_t row = 0; row < size; ++row)
      for (std::size_t column = row; column < size; ++column)
        add(" {}", information[(at * size + row) * size + column]);
    text_ += '\n';
  }

  // Writes a line for each sensor that is new.
  void number_sensors(const std::vector<double>& sensors) {
    if (graph_.dimension == 2) return;
    for (std::size_t at = 0; at * graph_.pose_size() < sensors.size(); ++at) {
      const Numbers pose = part(sensors, at, graph_.pose_size());
      const auto [place, is_new] =
          sensors_.emplace(std::vector(pose.begin(), pose.end()), sensors_.size());
      if (!is_new) continue;
      add("PARAMS_SE3OFFSET {}", place->second);
      end_line(pose);
    }
  }
  void add_sensor(const std::vector<double>& sensors, std::size_t at) {
    if (graph_.dimension == 2) return;
    const Numbers pose = part(sensors, at, graph_.pose_size());
    add(" {}", sensors_.at(std::vector(pose.begin(), pose.end())));
  }

  const PoseGraph& graph_;
  std::string text_;
  std::map<std::vector<double>, std::size_t> sensors_;
};

}  // namespace

Expected<void> write_g2o(const std::filesystem::path& path, const PoseGraph& graph) {
  const bool is_toro = suffix_of(path) == ".graph";
  const bool has_others = graph.landmarks.size() + graph.sightings.size() + graph.priors.size() > 0;
  if (is_toro && (has_others || graph.toro_edges.empty() != graph.edges.empty())) {
    return fail(
        Diagnostic{"cannot be written: only a graph that was read from TORO goes into a .graph",
                   {path, 0, 0},
                   {".g2o"}});
  }
  return write_file(path, is_toro ? G2oWriter(graph).toro_text() : G2oWriter(graph).text());
}

}  // namespace thallo
