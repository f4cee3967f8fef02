#include "core/backend/cuda/stream_timer.h"

#include <algorithm>
#include <limits>

#include "core/backend/cuda/driver.h"

namespace thallo::cuda {
namespace {

constexpr int Repetitions = 5;

}  // namespace

StreamTimer::StreamTimer(const Stream& stream) : stream_(stream) {
  THALLO_CUDA(cuEventCreate(&start_, CU_EVENT_DEFAULT));
  THALLO_CUDA(cuEventCreate(&stop_, CU_EVENT_DEFAULT));
}

StreamTimer::~StreamTimer() {
  driver().cuEventDestroy_v2(start_);
  driver().cuEventDestroy_v2(stop_);
}

double StreamTimer::seconds_of(const std::function<void()>& enqueue) const {
  enqueue();
  double best = std::numeric_limits<double>::infinity();
  for (int i = 0; i < Repetitions; ++i) {
    THALLO_CUDA(cuEventRecord(start_, stream_.get()));
    enqueue();
    THALLO_CUDA(cuEventRecord(stop_, stream_.get()));
    THALLO_CUDA(cuEventSynchronize(stop_));
    float milliseconds = 0;
    THALLO_CUDA(cuEventElapsedTime(&milliseconds, start_, stop_));
    best = std::min(best, 1e-3 * static_cast<double>(milliseconds));
  }
  return best;
}

}  // namespace thallo::cuda
