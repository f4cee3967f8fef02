#pragma once

// The machine that host backends run on.

#include <cstdint>
#include <string>

#include "core/cost/device_spec.h"

namespace thallo {

struct HostMachine {
  std::string processor;     // "Intel(R) Xeon(R) Processor"; "cpu" where the system does not say
  std::string architecture;  // "x86_64"
  int num_threads = 1;       // that run at the same time
  std::int64_t memory_bytes = 0;
  // Of the second level, which each core has, and of the last, which they share; 0 where the system
  // does not say. A virtual machine is told of all that its host has.
  std::int64_t core_cache_bytes = 0;
  std::int64_t last_cache_bytes = 0;
};

const HostMachine& host_machine();

// A spec with what is known of the machine for a backend that uses that many threads: the fields
// that are not rates or costs, apart from the signature. Its cache is the smallest that the threads
// have together.
DeviceSpec host_spec(std::string backend, int num_threads);

}  // namespace thallo
