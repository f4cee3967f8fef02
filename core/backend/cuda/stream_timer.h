#pragma once

// Times what is enqueued on a stream, on the device's own clock.

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

  // Seconds of what `enqueue` enqueues: the best of several times, after one to warm up.
  double seconds_of(const std::function<void()>& enqueue) const;

 private:
  const Stream& stream_;
  CUevent start_ = nullptr;
  CUevent stop_ = nullptr;
};

}  // namespace thallo::cuda
