#include "core/problem/run_facts.h"

#include <sys/resource.h>

#include <ctime>

#include <fmt/chrono.h>

#include "core/base/commit.h"

namespace thallo {

RunFacts run_facts(const Backend& backend, const Executable& executable, Precision precision,
                   double cpu_seconds_before) {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  constexpr std::int64_t KiB = 1024;
  return {.device = backend.device().name,
          .num_threads = executable.num_threads(),
          .precision = precision,
          .commit = std::string(built_commit()),
          .date = fmt::format("{:%FT%TZ}", fmt::gmtime(std::time(nullptr))),
          .peak_memory_bytes = KiB * usage.ru_maxrss,
          .cpu_seconds = process_cpu_seconds() - cpu_seconds_before};
}

double process_cpu_seconds() {
  return static_cast<double>(std::clock()) / static_cast<double>(CLOCKS_PER_SEC);
}

}  // namespace thallo
