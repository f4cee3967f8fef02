// Puts the work of one step together from efforts at its points. Private to estimates.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/cost/model/work.h"
#include "core/cost/pricing/effort.h"

namespace thallo {

// Something in memory with elements: a field, a view of a vector, a stored product.
struct Table {
  // Tables with equal keys are the same memory: (what it is, which field or part).
  std::pair<int, std::size_t> key;
  double elements = 0;
  double element_bytes = 0;
  double scalar_bytes = 0;
  bool is_blocked = false;  // elements lie in chunks (core/kernel/vector_layout.h)
  // Blocked ones of floats only: the channels of an element are added to one after the other, and
  // vectors of them at once.
  bool is_added_in_vectors = false;
};

class StepBuilder {
 public:
  // `first` is the domain along which neighboring threads differ; invalid: there are no neighbors.
  StepBuilder(const ExprGraph& graph, const std::vector<std::int64_t>& extents, Phase phase,
              std::string label, double points, DomainId first);

  void operations(const Effort& effort, double times = 1) {
    add_operations(effort, times * points_);
  }
  void multiply_add(double times) {
    step_.features.flops.adds += times * points_;
    step_.features.flops.multiplies += times * points_;
    step_.features.flops.fused += times * points_;
  }
  void reduce(double scalars);
  void in_double() { step_.in_double = true; }
  // That many points, which the map sends to the element of a point, are visited by its team.
  void visit(MapId map, double times);
  // From now on, accesses are at points that this map sends to the thread's element, in no order
  // that neighbors share; what is read of the element itself is read once.
  void follow_list(std::optional<MapId> map) { list_ = map; }
  // Other threads than one for each point: points of Sums are threads, too.
  void in_threads(double threads) { step_.features.points = static_cast<std::int64_t>(threads); }
  // The access that each point makes, so many times, to `channels` scalars of an element. An
  // invalid index is a place of its own for every point.
  void access(Access::Kind kind, const Table& table, IndexId index, double channels,
              double times = 1);
  // The same at the thread's own element: neighbors access neighboring elements.
  void at_point(Access::Kind kind, const Table& table, double channels, double times = 1);
  // The same at an element that all neighbors share.
  void at_one(Access::Kind kind, const Table& table, double channels, double times = 1);
  // Through a list of points, as the inverse of a map gives it.
  void through_list(Access::Kind kind, const Table& table, double channels, double times = 1);

  StepWork take() &&;

 private:
  void add_operations(const Effort& effort, double times);
  // The access to `channels` scalars of an element, in all chunks that have some of them.
  void add(const Access& access, const Table& table, double channels);
  // `gap`: scalars behind the chunk.
  void add_to_chunk(Access access, const Table& table, int gap);
  std::pair<Motion, MapId> motion_of(IndexId index) const;
  void read_maps(IndexId index, double times);

  const ExprGraph& graph_;
  const std::vector<std::int64_t>& extents_;
  double points_;
  DomainId first_;
  std::optional<MapId> list_;
  StepWork step_;
  std::vector<std::pair<std::pair<int, std::size_t>, double>> read_, written_;  // bytes, by table
  std::vector<AtomId> looked_up_;
};

}  // namespace thallo
