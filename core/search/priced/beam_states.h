// The states of the search `beam`, and their order. Private to it.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "core/search/priced/frozen_sites.h"
#include "core/search/priced/promises.h"
#include "core/search/priced/structural_hash.h"

namespace thallo {

struct BeamState {
  ScheduleSpace::Node node;
  StructuralHash hash;
  Promises promises;
  double seconds = 0;  // predicted
  double cost = 0;     // with penalties
  bool is_penalized = false, is_low_level = false;
  std::shared_ptr<const BeamState> parent;
  std::optional<TakenDecision> taken;  // on the way from the parent
};
// The states of a step, the cheapest first; of states with equal costs the first to come.
class BeamQueue {
 public:
  void push(std::shared_ptr<BeamState> state) {
    states_.emplace(std::pair(state->cost, num_pushed_++), std::move(state));
  }
  std::shared_ptr<BeamState> pop() { return states_.extract(states_.begin()).mapped(); }
  bool empty() const { return states_.empty(); }
  std::size_t size() const { return states_.size(); }
  double least_cost() const { return states_.begin()->first.first; }

 private:
  std::map<std::pair<double, std::size_t>, std::shared_ptr<BeamState>> states_;
  std::size_t num_pushed_ = 0;
};

}  // namespace thallo
