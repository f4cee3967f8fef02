#pragma once

// One launch of an emitted C kernel, made ready to run again and again: function pointers, argument
// words, numbers of points, and how scatters are kept apart. The points are cut into as many parts
// as there are threads; what a part computes does not depend on who runs it, and parts are put
// together in order, so equal runs give equal bits.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/backend/cpu/thread_pool.h"
#include "core/backend/host_executable.h"
#include "core/kernel/arguments.h"

namespace thallo {

// The functions of core/kernel/emit.h, dialect C.
struct HostKernel {
  using Points = void (*)(const void* args, long long section, long long begin, long long end,
                          double* partial);
  using Epilogue = void (*)(const void* args);
  Points points = nullptr;
  Epilogue epilogue = nullptr;
};

// Memory that the parts of a launch scatter into in place of the fields, all zero between launches.
class PrivateCopies {
 public:
  // Makes room for `bytes` per part but the first. Fails when memory is short.
  Expected<void> reserve(int num_parts, std::size_t bytes);
  std::byte* of_part(int part) const { return copies_[static_cast<std::size_t>(part) - 1].data(); }

 private:
  std::vector<HostAllocation> copies_;
};

class HostLaunch {
 public:
  HostLaunch(const KernelProgram& program, const KernelCode& code, const LaunchKernel& step,
             const HostKernel& kernel, const HostMemory& memory, int num_threads);

  // Private bytes each part but the first needs; 0 when it scatters nothing or there is one part.
  std::size_t private_bytes() const { return private_bytes_; }
  // Before the first run, and again when the copies were reserved anew.
  void use(const PrivateCopies& copies);
  void run(ThreadPool& pool, const PrivateCopies& copies);

 private:
  // Memory that is scattered into: a field, or all fields of a buffer that reach into each other.
  struct Scattered {
    std::vector<std::size_t> words;  // of the arguments that point into it
    std::byte* data = nullptr;
    std::size_t count = 0;  // scalars
    ScalarType type = ScalarType::Float;
    std::size_t offset = 0;  // bytes, in a private copy

    std::byte* end() const { return data + count * size_of(type); }
  };
  static std::vector<Scattered> merged(std::vector<Scattered> fields);
  void run_part(int part);
  void add_copies(ThreadPool& pool, const PrivateCopies& copies) const;

  HostKernel kernel_;
  std::vector<Reduction> reductions_;
  double* state_ = nullptr;
  std::vector<std::uint64_t> words_;
  // Of each part, made before it is run, so that the threads do not allocate: the words, with the
  // copies it scatters into, and its reductions.
  std::vector<std::vector<std::uint64_t>> part_words_;
  std::vector<std::vector<double>> partials_;
  std::vector<std::int64_t> num_points_;  // per section
  std::vector<Scattered> scattered_;
  std::size_t private_bytes_ = 0;
  int num_parts_ = 1;
};

}  // namespace thallo
