#pragma once

// The graphs of the sequences that an executable launches (sequence.h). Phases alone are one once
// they were enqueued a few times; a sequence with a linear loop is one from the start. If the
// driver refuses the loop (a warning is logged once), there are no graphs any more.

#include <functional>
#include <map>
#include <memory>

#include "core/backend/cuda/device.h"
#include "core/backend/cuda/sequence.h"
#include "core/backend/cuda/step_graph.h"

namespace thallo::cuda {

class SequenceGraphs {
 public:
  // `steps_of` returns the steps of a sequence, which must live as long as they are not updated.
  // Device and stream must outlive it.
  using StepsOf = std::function<GraphSteps(const Sequence&)>;
  SequenceGraphs(const Device& device, const Stream& stream, StepsOf steps_of);

  bool are_used() const { return are_used_; }
  // Returns the graph of a sequence, building it if it is time to; null if its steps are enqueued
  // one by one.
  StepGraph* find(const Sequence& sequence);
  // Gives the graphs the arguments that the steps have now.
  void update();
  // Waits for the stream, because a graph may be running.
  void drop();

 private:
  struct Cached {
    int num_uses = 0;                  // without a graph
    std::unique_ptr<StepGraph> graph;  // null if there is none yet, or none can be
  };

  const Device& device_;
  const Stream& stream_;
  StepsOf steps_of_;
  std::map<Sequence, Cached> graphs_;
  bool are_used_;
};

}  // namespace thallo::cuda
