// Ctrl-C as a wish to end in order: what is finished is kept. A second Ctrl-C ends the process.
#pragma once

#include <atomic>

namespace thallo::cli {

class InterruptWatch {
 public:
  InterruptWatch();
  ~InterruptWatch();
  InterruptWatch(const InterruptWatch&) = delete;
  InterruptWatch& operator=(const InterruptWatch&) = delete;

  // Set from a signal handler, while a watch lives.
  const std::atomic<bool>& is_interrupted() const;
};

}  // namespace thallo::cli
