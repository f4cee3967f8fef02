#pragma once

// A cost model of what a GPU or CPU does with a kernel. A step takes what it costs to start it,
// plus the longest of these, softened where several are nearly as long: moving bytes, asking the
// caches, additions to memory, sending to memory, and what threads do. Each is a sum of terms
// (step_terms.h).

#include <memory>

#include "core/cost/model/cost_model.h"
#include "core/cost/model/step_terms.h"

namespace thallo {

// The components of a step's time, in seconds. All but the start happen concurrently, so the step
// waits for the longest one.
struct StepTimes {
  // What threads do, one thing after the other.
  struct OfThreads {
    double arithmetic = 0, loads = 0, additions = 0;
  };

  double start = 0;
  double memory = 0;
  double cache = 0;
  double additions = 0;       // additions to memory
  double sending = 0;         // moving scalars from a GPU's multiprocessors to memory
  double threads = 0;         // arithmetic; on a GPU also waiting for loads
  OfThreads of_threads;       // the shares of `threads`
  double sent_additions = 0;  // the share of `sending` that is added, not stored; 0 to 1

  static StepTimes of(const StepTerms& terms);
  double total() const;  // the model's prediction
  // Splits total(). A component counts by how much total() would change if it changed a little, so
  // that the longest one has nearly all, and what is hidden behind it next to nothing.
  TimeParts parts() const;
};

// Splits the sum of the terms, for models in which they add up.
TimeParts parts_of_sum(const StepTerms& terms);

std::unique_ptr<const CostModel> make_analytic_model();

}  // namespace thallo
