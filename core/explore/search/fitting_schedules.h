#pragma once

// Decides which schedules of a problem are worth a worker's time: those whose stored products (J,
// JtJ and Jp) fit into the memory limit and into the memory of the device. No program is made for
// this. Most schedules of a large instance store some product as a full matrix, so random draws
// without this filter would mostly find schedules that cannot run.
//
// Only stored products are counted, so a schedule that fits here may still run out of memory in the
// worker.

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>

#include "core/explore/space/explored_problem.h"
#include "core/kernel/instance_storage.h"
#include "core/search/search.h"

namespace thallo {

class FittingSchedules {
 public:
  // The problem must outlive this object. Both limits are in bytes.
  FittingSchedules(const ExploredProblem& problem, std::int64_t memory_limit, double device_memory);

  // Constructs use this limit to refuse choices that cannot fit.
  const StorageLimit& limit() const { return storage_; }
  // A schedule that makes no valid plan counts as fitting: the worker reports what is wrong with
  // it.
  bool fits(const Proposal& proposal);

  // The number of distinct schedules that did not fit.
  std::size_t num_refused() const { return refused_.size(); }
  // Says why the first refused schedule does not fit, with both sizes. Empty if none was refused.
  const std::string& why() const { return why_; }

 private:
  const ExploredProblem& problem_;
  bool is_of_device_;  // true if the device has less than the memory limit
  InstanceStorage storage_;
  std::set<std::string> refused_;  // hashes
  std::string why_;
};

}  // namespace thallo
