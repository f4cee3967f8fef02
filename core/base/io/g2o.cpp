#include "core/base/io/g2o.h"

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/base/io/file.h"
#include "core/base/io/text_cursor.h"
#include "core/base/io/toro.h"
#include "core/base/log.h"
#include "core/base/suggest.h"

namespace thallo {
namespace {

enum class Record { Vertex, Landmark, Edge, Sighting, Prior };

struct Tag {
  std::string_view name;
  int dimension;
  Record record;
  bool is_toro = false;
};
constexpr Tag Tags[] = {
    {"VERTEX_SE2", 2, Record::Vertex},    {"VERTEX_SE3:QUAT", 3, Record::Vertex},
    {"EDGE_SE2", 2, Record::Edge},        {"EDGE_SE3:QUAT", 3, Record::Edge},
    {"VERTEX_XY", 2, Record::Landmark},   {"VERTEX_TRACKXYZ", 3, Record::Landmark},
    {"EDGE_SE2_XY", 2, Record::Sighting}, {"EDGE_SE3_TRACKXYZ", 3, Record::Sighting},
    {"EDGE_PRIOR_SE2", 2, Record::Prior}, {"EDGE_SE3_PRIOR", 3, Record::Prior},
    {"VERTEX2", 2, Record::Vertex, true}, {"VERTEX3", 3, Record::Vertex, true},
    {"EDGE2", 2, Record::Edge, true},     {"EDGE3", 3, Record::Edge, true}};
constexpr std::string_view Fix = "FIX", Sensor = "PARAMS_SE3OFFSET", OtherParameters = "PARAMS_",
                           Equivalent = "EQUIV";

const Tag* find_tag(std::string_view name) {
  const auto* found = std::ranges::find(Tags, name, &Tag::name);
  return found == std::end(Tags) ? nullptr : found;
}

class G2oParser {
 public:
  G2oParser(const std::filesystem::path& path, std::string_view content)
      : path_(path), cursor_(path, content) {}

  Expected<PoseGraph> parse() {
    for (cursor_.skip_comments('#'); !cursor_.at_end(); cursor_.skip_comments('#')) {
      THALLO_CHECK(parse_line());
    }
    if (places_.empty() && ends_.empty() && prior_ids_.empty())
      return fail(Diagnostic{"has no vertex and no edge", {path_, 0, 0}, legal_tags()});
    THALLO_CHECK(resolve());
    if (!is_all_toro_) graph_.toro_edges.clear();
    return std::move(graph_);
  }

 private:
  using Id = std::int64_t;
  // Where a vertex or a landmark is in the graph.
  struct Place {
    std::int32_t position = 0;
    bool is_landmark = false;
  };
  // An edge or a sighting as it is written.
  struct Ends {
    std::array<Id, 2> ids;
    int line;
    bool is_sighting;
  };

  static std::vector<std::string> legal_tags() {
    std::vector<std::string> legal = names_of(Tags, &Tag::name);
    legal.insert(legal.end(), {std::string(Fix), std::string(Sensor)});
    return legal;
  }

  Expected<void> parse_line() {
    const std::string_view name = cursor_.peek();
    line_ = cursor_.line_number();
    if (name == Fix) return cursor_.word(), parse_fixed();
    if (name == Sensor) return cursor_.word(), parse_sensor();
    if (name.starts_with(OtherParameters) || name == Equivalent)
      return cursor_.line(), Expected<void>();
    const Tag* tag = find_tag(name);
    if (tag == nullptr) {
      Diagnostic diagnostic = cursor_.unexpected("a vertex or an edge");
      diagnostic.alternatives = legal_tags();
      return fail(std::move(diagnostic));
    }
    cursor_.word();
    if (has_dimension_ && tag->dimension != graph_.dimension) {
      return fail_at(where(), "found {} in a graph of dimension {}; one file has one", name,
                     graph_.dimension);
    }
    graph_.dimension = tag->dimension;
    has_dimension_ = true;
    is_toro_ = tag->is_toro;
    is_all_toro_ &= is_toro_;
    switch (tag->record) {
      case Record::Vertex: return parse_place(false);
      case Record::Landmark: return parse_place(true);
      case Record::Edge: return parse_edge();
      case Record::Sighting: return parse_sighting();
      case Record::Prior: return parse_prior();
    }
    return {};
  }

  // Reads ids up to the end of the line.
  Expected<void> parse_fixed() {
    TextCursor line("", cursor_.line());
    while (!line.at_end()) {
      Id id = 0;
      if (!line.read(id)) {
        Diagnostic diagnostic = line.unexpected("the id of a fixed vertex");
        diagnostic.where = where();
        return fail(std::move(diagnostic));
      }
      fixed_.emplace_back(id, line_);
    }
    return {};
  }

  Expected<void> parse_sensor() {
    Id id = 0;
    if (!cursor_.read(id)) return fail(cursor_.unexpected("the id of a sensor"));
    std::vector<double> pose;
    const auto who = [id] { return fmt::format("sensor {}", id); };
    THALLO_CHECK(parse_spatial_pose(pose, who));
    std::ranges::copy(pose, sensors_[id].begin());
    return {};
  }

  Expected<void> parse_place(bool is_landmark) {
    Id id = 0;
    if (!cursor_.read(id)) return fail(cursor_.unexpected("the id of a vertex"));
    auto& ids = is_landmark ? graph_.landmarks.ids : graph_.ids;
    const Place place{static_cast<std::int32_t>(ids.size()), is_landmark};
    if (!places_.emplace(id, place).second)
      return fail_at(where(), "vertex {} is there a second time", id);
    ids.push_back(id);
    const auto who = [id] { return fmt::format("vertex {}", id); };
    return is_landmark ? parse_point(graph_.landmarks.positions, who)
                       : parse_pose(graph_.poses, who);
  }

  Expected<void> parse_edge() {
    std::array<Id, 2> ids{};
    THALLO_CHECK(parse_ends(ids, false));
    const auto who = [ids] { return fmt::format("edge {} -> {}", ids[0], ids[1]); };
    THALLO_CHECK(parse_pose(graph_.measurements, who));
    THALLO_CHECK(parse_information(graph_.tangent_size(), graph_.information, who));
    if (is_toro_) keep_toro_edge();
    return {};
  }

  Expected<void> parse_sighting() {
    std::array<Id, 2> ids{};
    THALLO_CHECK(parse_ends(ids, true));
    const auto who = [ids] { return fmt::format("edge {} -> {}", ids[0], ids[1]); };
    PoseGraph::Sightings& seen = graph_.sightings;
    THALLO_CHECK(parse_sensor_of(seen.sensors, who));
    THALLO_CHECK(parse_point(seen.measurements, who));
    return parse_information(static_cast<std::size_t>(graph_.dimension), seen.information, who);
  }

  Expected<void> parse_prior() {
    Id id = 0;
    if (!cursor_.read(id)) return fail(bad_number("the id of the vertex of a prior"));
    prior_ids_.emplace_back(id, line_);
    const auto who = [id] { return fmt::format("the prior of {}", id); };
    PoseGraph::Priors& priors = graph_.priors;
    THALLO_CHECK(parse_sensor_of(priors.sensors, who));
    THALLO_CHECK(parse_pose(priors.measurements, who));
    return parse_information(graph_.tangent_size(), priors.information, who);
  }

  Expected<void> parse_ends(std::array<Id, 2>& ids, bool is_sighting) {
    for (Id& id : ids)
      if (!cursor_.read(id)) return fail(bad_number("the id of a vertex of an edge"));
    ends_.push_back({ids, line_, is_sighting});
    return {};
  }

  // In the plane the sensor is the vertex itself.
  template <class Who>
  Expected<void> parse_sensor_of(std::vector<double>& sensors, const Who& who) {
    if (graph_.dimension == 2) {
      sensors.insert(sensors.end(), graph_.pose_size(), 0.0);
      return {};
    }
    Id id = 0;
    if (!cursor_.read(id)) return fail(bad_number(fmt::format("the sensor of {}", who())));
    const auto found = sensors_.find(id);
    if (found == sensors_.end()) {
      return fail_at(where(), "{} names sensor {}, which no line {} before it puts anywhere", who(),
                     id, Sensor);
    }
    sensors.insert(sensors.end(), found->second.begin(), found->second.end());
    return {};
  }

  // `who` makes the name of what has the numbers, for a fault.
  template <class Who>
  Expected<void> parse_numbers(std::span<const std::string_view> names,
                               std::vector<double>& numbers, const Who& who) {
    for (const std::string_view name : names) {
      double value = 0;
      if (!cursor_.read_finite(value))
        return fail(bad_number(fmt::format("{} of {} (a finite number)", name, who())));
      numbers.push_back(value);
    }
    return {};
  }

  template <class Who>
  Expected<void> parse_point(std::vector<double>& points, const Who& who) {
    constexpr std::string_view Names[] = {"x", "y", "z"};
    return parse_numbers(std::span(Names).first(static_cast<std::size_t>(graph_.dimension)), points,
                         who);
  }

  template <class Who>
  Expected<void> parse_pose(std::vector<double>& poses, const Who& who) {
    constexpr std::string_view Planar[] = {"x", "y", "the angle"};
    constexpr std::string_view Euler[] = {"x", "y", "z", "roll", "pitch", "yaw"};
    if (graph_.dimension == 2) return parse_numbers(Planar, poses, who);
    if (!is_toro_) return parse_spatial_pose(poses, who);
    THALLO_CHECK(parse_numbers(Euler, poses, who));
    std::ranges::copy_n(poses.end() - 3, 3, angles_.begin());
    poses.resize(poses.size() + 1);
    set_quaternion(angles_, &poses[poses.size() - 4]);
    return {};
  }

  template <class Who>
  Expected<void> parse_spatial_pose(std::vector<double>& poses, const Who& who) {
    constexpr std::string_view Names[] = {"x", "y", "z", "qx", "qy", "qz", "qw"};
    const std::size_t begin = poses.size();
    THALLO_CHECK(parse_numbers(Names, poses, who));
    Eigen::Map<Eigen::Vector4d> quaternion(&poses[begin + 3]);
    const double norm = quaternion.norm();
    if (!(norm > std::numeric_limits<double>::min()) || !std::isfinite(norm))
      return fail_at(cursor_.where(), "the quaternion of {} has the norm {}", who(), norm);
    // A norm that is 1 but for the last digits is left alone: the quaternion was normalized before
    // it was printed.
    if (std::abs(norm - 1) > 1e-15) quaternion /= norm;
    return {};
  }

  using Entry = std::pair<std::size_t, std::size_t>;
  // The entries of an information matrix in their order in the file.
  std::vector<Entry> information_entries(std::size_t size) const {
    if (is_toro_ && size == 3) return {{0, 0}, {0, 1}, {1, 1}, {2, 2}, {0, 2}, {1, 2}};
    std::vector<Entry> entries;
    for (std::size_t row = 0; row < size; ++row)
      for (std::size_t column = row; column < size; ++column) entries.emplace_back(row, column);
    return entries;
  }

  template <class Who>
  Expected<void> parse_information(std::size_t size, std::vector<double>& information,
                                   const Who& who) {
    const std::vector<Entry> entries = information_entries(size);
    const std::size_t begin = information.size();
    information.resize(begin + size * size);
    if (is_toro_ && line_ends()) {  // the identity is meant
      for (std::size_t row = 0; row < size; ++row) information[begin + row * (size + 1)] = 1;
      return {};
    }
    for (const auto& [row, column] : entries) {
      double value = 0;
      if (!cursor_.read_finite(value)) {
        Diagnostic fault =
            bad_number(fmt::format("I{}{} of {} (a finite number)", row + 1, column + 1, who()));
        fault.what += fmt::format(
            "; an edge ends with the {} numbers of the upper triangle of its information matrix",
            entries.size());
        return fail(std::move(fault));
      }
      information[begin + row * size + column] = value;
      information[begin + column * size + row] = value;
    }
    return {};
  }

  // Keeps the numbers of the edge, and makes the information in space that of g2o.
  void keep_toro_edge() {
    auto& numbers = graph_.toro_edges;
    const std::size_t size = graph_.tangent_size();
    const auto pose = graph_.measurements.end() - static_cast<std::ptrdiff_t>(graph_.pose_size());
    numbers.insert(numbers.end(), pose, pose + 3);
    if (graph_.dimension == 3) numbers.insert(numbers.end(), angles_.begin(), angles_.end());
    double* information = &graph_.information[graph_.information.size() - size * size];
    for (const auto& [row, column] : information_entries(size))
      numbers.push_back(information[row * size + column]);
    if (graph_.dimension == 3) turn_information(angles_, information);
  }

  // A record does not go on in the next line.
  Diagnostic bad_number(const std::string& wanted) {
    if (!line_ends()) return cursor_.unexpected(wanted);
    return {fmt::format("the line ends where {} should be", wanted), where(), {}};
  }
  bool line_ends() const {
    TextCursor rest = cursor_;
    return rest.at_end() || rest.line_number() != line_;
  }

  // Of the line that is parsed.
  SourceLocation where() const { return {path_, line_, 0}; }

  // Turns ids into positions and places what has no line.
  Expected<void> resolve() {
    const std::size_t num_vertices = graph_.num_vertices();
    const std::size_t num_landmarks = graph_.landmarks.size();
    add_unplaced();
    for (const Ends& ends : ends_) {
      THALLO_TRY(const auto first, place_of(ends.ids[0], false, ends.line));
      THALLO_TRY(const auto second, place_of(ends.ids[1], ends.is_sighting, ends.line));
      (ends.is_sighting ? graph_.sightings.edges : graph_.edges).push_back({first, second});
    }
    for (const auto& [id, line] : prior_ids_) {
      THALLO_TRY(const auto vertex, place_of(id, false, line));
      graph_.priors.vertices.push_back(vertex);
    }
    std::unordered_set<Id> fixed;
    for (const auto& [id, line] : fixed_) {
      if (!fixed.insert(id).second) continue;
      const auto found = places_.find(id);
      if (found == places_.end())
        return fail_at({path_, line, 0}, "FIX names vertex {}, which is not in the file", id);
      (found->second.is_landmark ? graph_.landmarks.fixed : graph_.fixed)
          .push_back(found->second.position);
    }
    const auto placed = [](std::size_t count, std::size_t of) {
      std::vector<bool> which(of);
      std::fill_n(which.begin(), count, true);
      return which;
    };
    if (graph_.num_vertices() > num_vertices) {
      graph_.poses.resize(graph_.num_vertices() * graph_.pose_size());
      place_along_edges(graph_, placed(num_vertices, graph_.num_vertices()));
    }
    if (graph_.landmarks.size() > num_landmarks) {
      graph_.landmarks.positions.resize(graph_.landmarks.size() *
                                        static_cast<std::size_t>(graph_.dimension));
      place_landmarks(graph_, placed(num_landmarks, graph_.landmarks.size()));
    }
    return {};
  }

  // What edges name and no line places, sorted by id.
  void add_unplaced() {
    const bool has_lines = !places_.empty();
    std::map<Id, bool> unplaced;  // whether it is a landmark
    const auto add = [&](Id id, bool is_landmark, int line) {
      if (places_.contains(id)) return;
      if (unplaced.empty() && has_lines) {
        logger("io").warn(
            "{}: names vertex {}, which has no line; what has no line is placed along edges",
            SourceLocation{path_, line, 0}.text(), id);
      }
      unplaced.emplace(id, is_landmark);
    };
    for (const Ends& ends : ends_) {
      add(ends.ids[0], false, ends.line);
      add(ends.ids[1], ends.is_sighting, ends.line);
    }
    for (const auto& [id, line] : prior_ids_) add(id, false, line);
    for (const auto& [id, is_landmark] : unplaced) {
      auto& ids = is_landmark ? graph_.landmarks.ids : graph_.ids;
      places_.emplace(id, Place{static_cast<std::int32_t>(ids.size()), is_landmark});
      ids.push_back(id);
    }
  }

  Expected<std::int32_t> place_of(Id id, bool is_landmark, int line) const {
    const Place place = places_.at(id);
    if (place.is_landmark == is_landmark) return place.position;
    constexpr std::string_view Names[] = {"a pose", "a point"};
    return fail_at({path_, line, 0}, "vertex {} is {}, and the edge is to {}", id,
                   Names[place.is_landmark ? 1 : 0], Names[is_landmark ? 1 : 0]);
  }

  std::filesystem::path path_;
  TextCursor cursor_;
  PoseGraph graph_;
  bool has_dimension_ = false;
  bool is_toro_ = false;  // the line that is parsed
  bool is_all_toro_ = true;
  std::array<double, 3> angles_{};  // of the pose that was parsed last
  int line_ = 0;
  std::unordered_map<Id, std::array<double, 7>> sensors_;
  std::unordered_map<Id, Place> places_;
  std::vector<Ends> ends_;
  std::vector<std::pair<Id, int>> prior_ids_, fixed_;  // id and line
};

}  // namespace

bool is_g2o(std::string_view content) {
  TextCursor cursor("", content);
  cursor.skip_comments('#');
  const std::string_view word = cursor.word();
  return word == Fix || word.starts_with(OtherParameters) || find_tag(word) != nullptr;
}

bool is_toro(std::string_view content) { return is_g2o(content) && kind_of_g2o(content).is_toro; }

PoseGraphKind kind_of_g2o(std::string_view content) {
  PoseGraphKind kind;
  TextCursor cursor("", content);
  for (cursor.skip_comments('#'); !cursor.at_end(); cursor.skip_comments('#')) {
    const Tag* tag = find_tag(cursor.peek());
    cursor.line();
    if (tag == nullptr) continue;
    kind.dimension = tag->dimension;
    kind.has_landmarks |= tag->record == Record::Landmark || tag->record == Record::Sighting;
    kind.has_priors |= tag->record == Record::Prior;
    kind.is_toro &= tag->is_toro;
  }
  return kind;
}

Expected<PoseGraph> parse_g2o(const std::filesystem::path& name, std::string_view content) {
  return G2oParser(name, content).parse();
}

}  // namespace thallo
