#include "core/backend/cuda/timing.h"

#include "core/backend/cuda/driver.h"
#include "core/base/error.h"

namespace thallo::cuda {

PhaseTimer::~PhaseTimer() {
  free_.insert(free_.end(), pending_.begin(), pending_.end());
  if (current_.start != nullptr) free_.push_back(current_);
  for (const Run& run : free_) {
    driver().cuEventDestroy_v2(run.start);
    driver().cuEventDestroy_v2(run.stop);
  }
}

PhaseTimer::Run PhaseTimer::take_events() {
  if (free_.empty() && pending_.size() >= MaxPending) {
    THALLO_CUDA(cuEventSynchronize(pending_.front().stop));
    add(pending_.front());
    pending_.pop_front();
  }
  if (free_.empty()) {
    Run run;
    THALLO_CUDA(cuEventCreate(&run.start, CU_EVENT_DEFAULT));
    THALLO_CUDA(cuEventCreate(&run.stop, CU_EVENT_DEFAULT));
    return run;
  }
  const Run run = free_.back();
  free_.pop_back();
  return run;
}

void PhaseTimer::add(const Run& run) {
  float milliseconds = 0;
  THALLO_CUDA(cuEventElapsedTime(&milliseconds, run.start, run.stop));
  add(run.phase, run.num_launches, 1e-3 * static_cast<double>(milliseconds));
  free_.push_back(run);
}

void PhaseTimer::add(Phase phase, std::int64_t num_launches, double seconds) {
  PhaseTiming& total = totals_[static_cast<std::size_t>(phase)];
  total.launches += num_launches;
  total.seconds += seconds;
}

void PhaseTimer::begin(CUstream stream, Phase phase) {
  if (current_.start == nullptr) current_ = take_events();
  current_.phase = phase;
  THALLO_CUDA(cuEventRecord(current_.start, stream));
}

void PhaseTimer::end(CUstream stream, std::int64_t num_launches) {
  THALLO_ASSERT(current_.start != nullptr);
  THALLO_CUDA(cuEventRecord(current_.stop, stream));
  current_.num_launches = num_launches;
  pending_.push_back(current_);
  current_ = Run{};
}

void PhaseTimer::collect() {
  if (!pending_.empty()) THALLO_CUDA(cuEventSynchronize(pending_.back().stop));
  for (const Run& run : pending_) add(run);
  pending_.clear();
}

void PhaseTimer::reset() {
  collect();
  totals_ = {};
}

std::vector<PhaseTiming> PhaseTimer::totals() const {
  std::vector<PhaseTiming> result;
  for (std::size_t i = 0; i < totals_.size(); ++i) {
    if (totals_[i].launches == 0) continue;
    result.push_back(totals_[i]);
    result.back().phase = static_cast<Phase>(i);
  }
  return result;
}

}  // namespace thallo::cuda
