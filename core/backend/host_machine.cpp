#include "core/backend/host_machine.h"

#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <thread>
#include <utility>

namespace thallo {
namespace {

// The unit in which caches and memory of a host transfer data, on all current processors.
constexpr double CacheLine = 64;

std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  std::string line;
  while (std::getline(file, line)) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "cpu";
}

// What the machine has, or what the container allows if that is less.
std::int64_t memory_size() {
  const std::int64_t physical = static_cast<std::int64_t>(sysconf(_SC_PHYS_PAGES)) *
                                static_cast<std::int64_t>(sysconf(_SC_PAGE_SIZE));
  std::ifstream file("/sys/fs/cgroup/memory.max");
  std::int64_t allowed = 0;
  return file >> allowed ? std::min(physical, allowed) : physical;
}

std::int64_t cache_size(int level) { return std::max(0L, sysconf(level)); }

}  // namespace

const HostMachine& host_machine() {
  static const HostMachine machine = [] {
    utsname system{};
    uname(&system);
    return HostMachine{
        .processor = processor_name(),
        .architecture = system.machine,
        .num_threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency())),
        .memory_bytes = memory_size(),
        .core_cache_bytes = cache_size(_SC_LEVEL2_CACHE_SIZE),
        .last_cache_bytes = cache_size(_SC_LEVEL3_CACHE_SIZE)};
  }();
  return machine;
}

DeviceSpec host_spec(std::string backend, int num_threads) {
  const HostMachine& machine = host_machine();
  DeviceSpec spec;
  spec.name = machine.processor;
  spec.backend = std::move(backend);
  spec.units = num_threads;
  spec.memory = static_cast<double>(machine.memory_bytes);
  spec.cache = static_cast<double>(machine.core_cache_bytes * num_threads);
  spec.sector = CacheLine;
  return spec;
}

}  // namespace thallo
