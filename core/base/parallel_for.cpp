#include "core/base/parallel_for.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "core/base/log.h"
#include "core/base/stop_scope.h"

namespace thallo {

void parallel_for(std::size_t count, int num_threads,
                  const std::function<void(std::size_t)>& work) {
  std::atomic<std::size_t> next = 0;
  std::exception_ptr fault;  // a thread cannot throw
  std::mutex of_fault;
  const auto run = [&] {
    for (std::size_t i = next++; i < count; i = next++) {
      try {
        work(i);
      } catch (...) {
        const std::scoped_lock lock(of_fault);
        if (!fault) fault = std::current_exception();
        next = count;
      }
    }
  };
  {
    const auto wanted = num_threads > 0 ? static_cast<std::size_t>(num_threads)
                                        : std::max(1u, std::thread::hardware_concurrency());
    std::vector<std::jthread> threads;
    try {
      for (std::size_t i = 1; i < std::min(wanted, count); ++i)
        threads.emplace_back([&run, of_caller = StopScope::innermost()] {
          const StopScope scope(of_caller);
          run();
        });
    } catch (const std::system_error& none) {
      logger("cpu").debug("{} threads of {} are used: {}", threads.size() + 1, wanted,
                          none.code().message());
    }
    run();
  }
  if (fault) std::rethrow_exception(fault);
}

}  // namespace thallo
