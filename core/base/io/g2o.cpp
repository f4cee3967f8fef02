#include "core/base/io/g2o.h"

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <deque>
#include <iterator>
#include <limits>
#include <numeric>
#include <string>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "core/base/io/file.h"
#include "core/base/io/text_cursor.h"
#include "core/base/log.h"

namespace thallo {
namespace {

struct Tag {
  std::string_view name;
  int dimension;
  bool is_edge;
};
constexpr Tag Tags[] = {{"VERTEX_SE2", 2, false},
                        {"VERTEX_SE3:QUAT", 3, false},
                        {"EDGE_SE2", 2, true},
                        {"EDGE_SE3:QUAT", 3, true}};

const Tag* find_tag(std::string_view name) {
  const auto* found = std::ranges::find(Tags, name, &Tag::name);
  return found == std::end(Tags) ? nullptr : found;
}

// out = a b, or a b⁻¹.
void compose(int dimension, const double* a, const double* b, bool inverse, double* out) {
  if (dimension == 2) {
    const double angle = inverse ? a[2] - b[2] : a[2];
    const double c = std::cos(angle);
    const double s = std::sin(angle);
    const double sign = inverse ? -1 : 1;
    out[0] = a[0] + sign * (c * b[0] - s * b[1]);
    out[1] = a[1] + sign * (s * b[0] + c * b[1]);
    out[2] = inverse ? angle : a[2] + b[2];
    return;
  }
  using Eigen::Quaterniond, Eigen::Vector3d;
  const Quaterniond turn(a + 3);
  const Quaterniond step(b + 3);
  const Quaterniond turned = turn * (inverse ? step.conjugate() : step);
  const Vector3d moved = (inverse ? turned : turn) * Vector3d(b);
  Eigen::Map<Vector3d>{out} = Vector3d(a) + (inverse ? -1 : 1) * moved;
  Eigen::Map<Quaterniond>{out + 3} = turned;
}

class G2oParser {
 public:
  G2oParser(const std::filesystem::path& path, std::string_view content)
      : path_(path), cursor_(path, content) {}

  Expected<PoseGraph> parse() {
    for (cursor_.skip_comments('#'); !cursor_.at_end(); cursor_.skip_comments('#')) {
      if (auto read = parse_line(); !read) return fail(read.error());
    }
    if (graph_.ids.empty() && ends_.empty()) {
      return fail(Diagnostic{"has no vertex and no edge", {path_, 0, 0}, legal_tags()});
    }
    if (auto done = resolve(); !done) return fail(done.error());
    return std::move(graph_);
  }

 private:
  static std::vector<std::string> legal_tags() {
    std::vector<std::string> legal;
    for (const Tag& tag : Tags) legal.emplace_back(tag.name);
    legal.emplace_back("FIX");
    return legal;
  }

  Expected<void> parse_line() {
    const std::string_view name = cursor_.peek();
    line_ = cursor_.line_number();
    const Tag* tag = find_tag(name);
    if (tag == nullptr && name != "FIX") {
      Diagnostic diagnostic = cursor_.unexpected("a vertex or an edge");
      diagnostic.alternatives = legal_tags();
      return fail(std::move(diagnostic));
    }
    cursor_.word();
    if (tag == nullptr) return parse_fixed();
    if (has_dimension_ && tag->dimension != graph_.dimension) {
      return fail_at(where(), "found {} in a graph of dimension {}; one file has one", name,
                     graph_.dimension);
    }
    graph_.dimension = tag->dimension;
    has_dimension_ = true;
    return tag->is_edge ? parse_edge() : parse_vertex();
  }

  // Reads ids up to the end of the line.
  Expected<void> parse_fixed() {
    TextCursor line("", cursor_.line());
    while (!line.at_end()) {
      std::int64_t id = 0;
      if (!line.read(id)) {
        Diagnostic diagnostic = line.unexpected("the id of a fixed vertex");
        diagnostic.where = where();
        return fail(std::move(diagnostic));
      }
      fixed_.emplace_back(id, line_);
    }
    return {};
  }

  Expected<void> parse_vertex() {
    std::int64_t id = 0;
    if (!cursor_.read(id)) return fail(cursor_.unexpected("the id of a vertex"));
    if (!positions_.emplace(id, static_cast<std::int32_t>(graph_.ids.size())).second)
      return fail_at(where(), "vertex {} is there a second time", id);
    graph_.ids.push_back(id);
    return parse_pose(graph_.poses, [id] { return fmt::format("vertex {}", id); });
  }

  Expected<void> parse_edge() {
    std::array<std::int64_t, 2> ends{};
    for (std::int64_t& id : ends)
      if (!cursor_.read(id)) return fail(cursor_.unexpected("the id of a vertex of an edge"));
    const auto who = [ends] { return fmt::format("edge {} -> {}", ends[0], ends[1]); };
    if (auto read = parse_pose(graph_.measurements, who); !read) return read;
    const std::size_t size = graph_.tangent_size();
    const std::size_t begin = graph_.information.size();
    graph_.information.resize(begin + size * size);
    for (std::size_t row = 0; row < size; ++row) {
      for (std::size_t column = row; column < size; ++column) {
        double value = 0;
        if (!cursor_.read_finite(value))
          return fail(bad_number(fmt::format("I{}{} of {}", row + 1, column + 1, who())));
        graph_.information[begin + row * size + column] = value;
        graph_.information[begin + column * size + row] = value;
      }
    }
    ends_.push_back(ends);
    edge_lines_.push_back(line_);
    return {};
  }

  // `who` makes the name of what has the pose, for a fault.
  template <class Who>
  Expected<void> parse_pose(std::vector<double>& poses, const Who& who) {
    constexpr std::string_view Planar[] = {"x", "y", "the angle"};
    constexpr std::string_view Spatial[] = {"x", "y", "z", "qx", "qy", "qz", "qw"};
    const std::size_t begin = poses.size();
    for (std::size_t i = 0; i < graph_.pose_size(); ++i) {
      const std::string_view part = graph_.dimension == 2 ? Planar[i] : Spatial[i];
      double value = 0;
      if (!cursor_.read_finite(value))
        return fail(bad_number(fmt::format("{} of {}", part, who())));
      poses.push_back(value);
    }
    if (graph_.dimension == 2) return {};
    Eigen::Map<Eigen::Vector4d> quaternion(&poses[begin + 3]);
    const double norm = quaternion.norm();
    if (!(norm > std::numeric_limits<double>::min()) || !std::isfinite(norm))
      return fail_at(cursor_.where(), "the quaternion of {} has the norm {}", who(), norm);
    // A norm that is 1 but for the last digits is left alone: the quaternion was normalized before
    // it was printed.
    if (std::abs(norm - 1) > 1e-15) quaternion /= norm;
    return {};
  }

  Diagnostic bad_number(const std::string& wanted) {
    return cursor_.unexpected(wanted + " (a finite number)");
  }

  // Of the line that is parsed.
  SourceLocation where() const { return {path_, line_, 0}; }

  // Turns ids into positions and places the vertices without a line.
  Expected<void> resolve() {
    const std::size_t num_placed = graph_.ids.size();
    std::vector<std::int64_t> unplaced;
    for (std::size_t e = 0; e < ends_.size(); ++e) {
      for (const std::int64_t id : ends_[e]) {
        if (positions_.contains(id)) continue;
        if (unplaced.empty() && num_placed > 0) {
          logger("io").warn(
              "{}: edge {} -> {} names vertex {}, which has no line; poses without a line are "
              "placed "
              "along edges",
              SourceLocation{path_, edge_lines_[e], 0}.text(), ends_[e][0], ends_[e][1], id);
        }
        unplaced.push_back(id);
      }
    }
    std::ranges::sort(unplaced);
    const auto repeated = std::ranges::unique(unplaced);
    unplaced.erase(repeated.begin(), repeated.end());
    for (const std::int64_t id : unplaced) {
      positions_.emplace(id, static_cast<std::int32_t>(graph_.ids.size()));
      graph_.ids.push_back(id);
    }
    graph_.edges.reserve(ends_.size());
    for (const auto& [i, j] : ends_) graph_.edges.push_back({positions_.at(i), positions_.at(j)});
    for (const auto& [id, line] : fixed_) {
      const auto found = positions_.find(id);
      if (found == positions_.end())
        return fail_at({path_, line, 0}, "FIX names vertex {}, which is not in the file", id);
      graph_.fixed.push_back(found->second);
    }
    if (unplaced.empty()) return {};
    std::vector<bool> placed(graph_.num_vertices());
    std::fill_n(placed.begin(), num_placed, true);
    graph_.poses.resize(graph_.num_vertices() * graph_.pose_size());
    place_along_edges(graph_, std::move(placed));
    return {};
  }

  std::filesystem::path path_;
  TextCursor cursor_;
  PoseGraph graph_;
  bool has_dimension_ = false;
  int line_ = 0;
  std::unordered_map<std::int64_t, std::int32_t> positions_;
  std::vector<std::array<std::int64_t, 2>> ends_;
  std::vector<int> edge_lines_;
  std::vector<std::pair<std::int64_t, int>> fixed_;  // id and line
};

}  // namespace

bool is_g2o(std::string_view content) {
  TextCursor cursor("", content);
  cursor.skip_comments('#');
  const std::string_view word = cursor.word();
  return word == "FIX" || find_tag(word) != nullptr;
}

Expected<PoseGraph> parse_g2o(const std::filesystem::path& name, std::string_view content) {
  return G2oParser(name, content).parse();
}

Expected<PoseGraph> read_g2o(const std::filesystem::path& path) {
  const auto content = read_file(path);
  if (!content) return fail(content.error());
  return parse_g2o(path, *content);
}

std::vector<std::size_t> first_of_component(const PoseGraph& graph) {
  std::vector<std::size_t> parent(graph.num_vertices());  // which is never after its child
  std::iota(parent.begin(), parent.end(), std::size_t{0});
  const auto root_of = [&](std::size_t vertex) {
    while (parent[vertex] != vertex) vertex = parent[vertex] = parent[parent[vertex]];
    return vertex;
  };
  for (const auto& [i, j] : graph.edges) {
    const std::size_t a = root_of(static_cast<std::size_t>(i));
    const std::size_t b = root_of(static_cast<std::size_t>(j));
    parent[std::max(a, b)] = std::min(a, b);
  }
  for (std::size_t vertex = 0; vertex < parent.size(); ++vertex) parent[vertex] = root_of(vertex);
  return parent;
}

std::size_t num_components(const PoseGraph& graph) {
  const std::vector<std::size_t> first = first_of_component(graph);
  std::size_t count = 0;
  for (std::size_t vertex = 0; vertex < first.size(); ++vertex) count += first[vertex] == vertex;
  return count;
}

void place_along_edges(PoseGraph& graph, std::vector<bool> placed) {
  const std::size_t size = graph.pose_size();
  std::vector<std::vector<std::size_t>> edges_of(graph.num_vertices());
  for (std::size_t e = 0; e < graph.num_edges(); ++e)
    for (const std::int32_t vertex : graph.edges[e])
      edges_of[static_cast<std::size_t>(vertex)].push_back(e);

  std::deque<std::size_t> queue;
  const auto reach_all_from_queue = [&] {
    while (!queue.empty()) {
      const std::size_t from = queue.front();
      queue.pop_front();
      for (const std::size_t e : edges_of[from]) {
        const bool inverse = static_cast<std::size_t>(graph.edges[e][0]) != from;
        const auto to = static_cast<std::size_t>(graph.edges[e][inverse ? 0 : 1]);
        if (placed[to]) continue;
        compose(graph.dimension, &graph.poses[from * size], &graph.measurements[e * size], inverse,
                &graph.poses[to * size]);
        placed[to] = true;
        queue.push_back(to);
      }
    }
  };
  for (std::size_t vertex = 0; vertex < graph.num_vertices(); ++vertex)
    if (placed[vertex]) queue.push_back(vertex);
  reach_all_from_queue();
  for (std::size_t root = 0; root < graph.num_vertices(); ++root) {
    if (placed[root]) continue;
    std::fill_n(graph.poses.begin() + static_cast<std::ptrdiff_t>(root * size), size, 0.0);
    if (graph.dimension == 3) graph.poses[root * size + 6] = 1;
    placed[root] = true;
    queue.push_back(root);
    reach_all_from_queue();
  }
}

std::size_t repair_information(PoseGraph& graph) {
  const auto n = static_cast<Eigen::Index>(graph.tangent_size());
  std::size_t count = 0;
  for (std::size_t e = 0; e < graph.num_edges(); ++e) {
    Eigen::Map<Eigen::MatrixXd> matrix(
        &graph.information[e * graph.tangent_size() * graph.tangent_size()], n, n);
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solved(matrix);
    const Eigen::VectorXd values = solved.eigenvalues();
    // What rounding makes of a zero is left alone.
    if (values.minCoeff() >= -1e-12 * values.cwiseAbs().maxCoeff()) continue;
    const Eigen::MatrixXd& vectors = solved.eigenvectors();
    const Eigen::MatrixXd nearest = vectors * values.cwiseMax(0).asDiagonal() * vectors.transpose();
    matrix = (nearest + nearest.transpose()) / 2;
    ++count;
  }
  return count;
}

Expected<void> write_g2o(const std::filesystem::path& path, const PoseGraph& graph) {
  std::string text;
  auto out = std::back_inserter(text);
  const std::string_view kind = graph.dimension == 2 ? "SE2" : "SE3:QUAT";
  const std::size_t size = graph.pose_size();
  const std::size_t tangent = graph.tangent_size();
  const auto append_pose = [&](const std::vector<double>& poses, std::size_t at) {
    for (std::size_t i = 0; i < size; ++i) fmt::format_to(out, " {}", poses[at * size + i]);
  };
  for (std::size_t i = 0; i < graph.num_vertices(); ++i) {
    fmt::format_to(out, "VERTEX_{} {}", kind, graph.ids[i]);
    append_pose(graph.poses, i);
    text += '\n';
  }
  const auto id = [&](std::int32_t vertex) { return graph.ids[static_cast<std::size_t>(vertex)]; };
  for (const std::int32_t vertex : graph.fixed) fmt::format_to(out, "FIX {}\n", id(vertex));
  for (std::size_t e = 0; e < graph.num_edges(); ++e) {
    fmt::format_to(out, "EDGE_{} {} {}", kind, id(graph.edges[e][0]), id(graph.edges[e][1]));
    append_pose(graph.measurements, e);
    for (std::size_t row = 0; row < tangent; ++row)
      for (std::size_t column = row; column < tangent; ++column)
        fmt::format_to(out, " {}", graph.information[(e * tangent + row) * tangent + column]);
    text += '\n';
  }
  return write_file(path, text);
}

}  // namespace thallo
