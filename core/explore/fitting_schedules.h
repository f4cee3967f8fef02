#pragma once

// Which schedules of a problem are worth a worker's time: those whose stored products (J, JtJ and
// Jp) fit, by the memory limit and by the memory of the device. That is decided without making
// their programs. Most schedules of a large instance store some product in a full matrix, so that
// drawing at random would mostly find what cannot be run.
//
// What else a program needs is left to the worker that makes it: a schedule that fits here may
// still be out of memory there.

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>

#include "core/explore/search.h"
#include "core/explore/work/explored_problem.h"
#include "core/kernel/instance_storage.h"

namespace thallo {

class FittingSchedules {
 public:
  // The problem must outlive it. The memory of the device is in bytes, as the limit is.
  FittingSchedules(const ExploredProblem& problem, std::int64_t memory_limit, double device_memory);

  // What constructs refuse choices by that cannot fit.
  const StorageLimit& limit() const { return storage_; }
  // A schedule that makes no plan fits: the worker says what is wrong with it.
  bool fits(const Proposal& proposal);

  std::size_t num_refused() const { return refused_.size(); }  // different ones
  // Why the first of them does not fit, with both sizes; empty when there is none.
  const std::string& why() const { return why_; }

 private:
  const ExploredProblem& problem_;
  bool is_of_device_;  // the device has less than the memory limit allows
  InstanceStorage storage_;
  std::set<std::string> refused_;  // hashes
  std::string why_;
};

}  // namespace thallo
