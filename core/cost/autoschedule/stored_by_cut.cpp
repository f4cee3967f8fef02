#include "core/cost/autoschedule/stored_by_cut.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/boykov_kolmogorov_max_flow.hpp>

#include "core/schedule/energy_facts.h"

namespace thallo {
namespace {

// Capacities in whole picoseconds: sums of them are exact, and the cut is the same everywhere.
using Capacity = std::int64_t;
constexpr double Picoseconds = 1e12;
constexpr Capacity Endless = std::numeric_limits<Capacity>::max() / 1024;

Capacity capacity_of(double seconds) {
  if (seconds <= 0) return 0;
  if (!std::isfinite(seconds)) return Endless;
  return std::min(Endless / 1024, static_cast<Capacity>(std::ceil(seconds * Picoseconds)));
}

class FlowGraph {
 public:
  explicit FlowGraph(std::size_t num_nodes) : graph_(num_nodes) {}

  void connect(std::size_t from, std::size_t to, Capacity capacity) {
    const Edge there = add_edge(from, to, graph_).first;
    const Edge back = add_edge(to, from, graph_).first;
    put(boost::edge_capacity, graph_, there, capacity);
    put(boost::edge_capacity, graph_, back, 0);
    put(boost::edge_reverse, graph_, there, back);
    put(boost::edge_reverse, graph_, back, there);
  }

  // Which nodes lie before the least cut.
  std::vector<bool> cut(std::size_t source, std::size_t sink) {
    boykov_kolmogorov_max_flow(graph_, source, sink);
    std::vector<bool> before;
    for (std::size_t node = 0; node < num_vertices(graph_); ++node)
      before.push_back(get(boost::vertex_color, graph_, node) == boost::black_color);
    return before;
  }

 private:
  using Traits = boost::adjacency_list_traits<boost::vecS, boost::vecS, boost::directedS>;
  using Edge = Traits::edge_descriptor;
  using VertexProperties =
      boost::property<boost::vertex_color_t, boost::default_color_type,
                      boost::property<boost::vertex_distance_t, long,
                                      boost::property<boost::vertex_predecessor_t, Edge>>>;
  using EdgeProperties =
      boost::property<boost::edge_capacity_t, Capacity,
                      boost::property<boost::edge_residual_capacity_t, Capacity,
                                      boost::property<boost::edge_reverse_t, Edge>>>;
  boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS, VertexProperties,
                        EdgeProperties>
      graph_;
};

class StoredByCut {
 public:
  StoredByCut(const Energy& energy, const std::vector<Part>& parts, AutoSearch& search)
      : energy_(energy),
        parts_(parts),
        search_(search),
        all_(no_stored_values(energy)),
        graph_(2 + 2 * 2 * all_.intermediates.size()) {
    for (std::size_t i = 0; i < all_.intermediates.size(); ++i)
      all_.intermediates[i] = {.value = true, .gradient = check_gradient(energy, i).has_value()};
  }

  StoredValues run() {
    const double of_parts = seconds_of_parts(all_);
    for (std::size_t i = 0; i < all_.intermediates.size(); ++i) {
      for (const bool is_gradient : {false, true}) {
        const Thing thing{i, is_gradient};
        graph_.connect(Source, node(thing), capacity_of(computing_again(thing) - of_parts));
        graph_.connect(node(thing), out(thing), capacity_of(storing(thing)));
        connect(search_.estimator().reads(i, is_gradient), node(thing), true);
      }
    }
    for (const Part& part : parts_) connect(search_.estimator().reads(part.residuals), Sink, false);
    const std::vector<bool> before = graph_.cut(Source, Sink);
    StoredValues stored = no_stored_values(energy_);
    for (std::size_t i = 0; i < all_.intermediates.size(); ++i) {
      for (const bool is_gradient : {false, true}) {
        const Thing thing{i, is_gradient};
        flag(stored, thing) = before[node(thing)] && !before[out(thing)];
      }
    }
    return stored;
  }

 private:
  // The values or the derivatives of an intermediate.
  struct Thing {
    std::size_t intermediate = 0;
    bool is_gradient = false;
  };
  enum Ends : std::size_t { Source, Sink };
  // A thing is a node, and what reads it does so from a second one: it is stored once for all.
  static std::size_t node(Thing t) { return 2 + 4 * t.intermediate + 2 * t.is_gradient; }
  static std::size_t out(Thing t) { return node(t) + 1; }
  static bool& flag(StoredValues& stored, Thing t) {
    Materialization& of = stored.intermediates[t.intermediate];
    return t.is_gradient ? of.gradient : of.value;
  }

  // What is computed ahead has all that it reads computed ahead.
  void connect(const Estimator::Reads& reads, std::size_t reader, bool can_be_ahead) {
    for (const bool is_gradient : {false, true}) {
      for (const std::size_t i : is_gradient ? reads.gradients : reads.values) {
        graph_.connect(out({i, is_gradient}), reader, Endless);
        if (can_be_ahead) graph_.connect(reader, node({i, is_gradient}), Endless);
      }
    }
  }

  double seconds_of_parts(const StoredValues& stored) {
    double seconds = 0;
    for (const Part& part : parts_) seconds += search_.seconds_of(part, stored);
    return seconds;
  }
  double computing_again(Thing thing) {
    StoredValues others = all_;
    if (!std::exchange(flag(others, thing), false)) return 0;
    return seconds_of_parts(others);
  }
  double storing(Thing thing) {
    StoredValues alone = all_;
    if (!flag(alone, thing)) return std::numeric_limits<double>::infinity();
    flag(alone, {thing.intermediate, !thing.is_gradient}) = false;
    return search_.storing(thing.intermediate, alone);
  }

  const Energy& energy_;
  const std::vector<Part>& parts_;
  AutoSearch& search_;
  StoredValues all_;
  FlowGraph graph_;
};

}  // namespace

StoredValues stored_by_cut(const Energy& energy, const std::vector<Part>& parts,
                           AutoSearch& search) {
  if (energy.intermediates().empty()) return no_stored_values(energy);
  return StoredByCut(energy, parts, search).run();
}

}  // namespace thallo
