#pragma once

// Times work on a stream with the device's own clock.

#include <cuda.h>

#include <functional>

#include "core/backend/cuda/device.h"

namespace thallo::cuda {

class StreamTimer {
 public:
  explicit StreamTimer(const Stream& stream);
  ~StreamTimer();
  StreamTimer(const StreamTimer&) = delete;
  StreamTimer& operator=(const StreamTimer&) = delete;

  // Returns the seconds of the work that `enqueue` enqueues: the fastest of several runs, after one
  // run to warm up.
  double seconds_of(const std::function<void()>& enqueue) const;

 private:
  const Stream& stream_;
  CUevent start_ = nullptr;
  CUevent stop_ = nullptr;
};

}  // namespace thallo::cuda
