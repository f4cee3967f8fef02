#pragma once

// Describes the machine that host backends run on.

#include <cstdint>
#include <string>

#include "core/cost/device/device_spec.h"

namespace thallo {

struct HostMachine {
  std::string processor;          // "Intel(R) Xeon(R) Processor"; "cpu" if unknown
  std::string architecture;       // "x86_64"
  int num_threads = 1;            // that can run at the same time
  std::int64_t memory_bytes = 0;  // that of the container, if it may have less
  // Sizes of the second-level cache, which each core has, and of the last-level cache, which the
  // cores share; 0 if unknown. A virtual machine is told the sizes of its whole host.
  std::int64_t core_cache_bytes = 0;
  std::int64_t last_cache_bytes = 0;
};

const HostMachine& host_machine();

// Returns a spec for a backend with that many threads, with all that is known about the machine:
// every field except rates, costs and the signature. The spec's cache is what the second-level
// caches of the threads hold together, which is a lower bound.
DeviceSpec host_spec(std::string backend, int num_threads);

}  // namespace thallo
