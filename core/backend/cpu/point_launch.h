#pragma once

// One launch of an emitted C kernel, made ready to run again and again: function pointers, argument
// words, numbers of points, and private memory for scatters.
//
// The points of a launch are cut into parts by how much work they are, whatever the number of
// threads. Parts must not scatter into the same memory: each part but the first scatters into a
// private copy, and the copies are added to the field afterwards. Then there are no more parts than
// threads. What a part computes does not depend on the thread that runs it, and the results of
// parts are combined in order. So equal runs with equally many threads give equal bits, and those
// of a program that is deterministic, which needs no copies, with any number of threads.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/backend/cpu/thread_pool.h"
#include "core/base/aligned_bytes.h"
#include "core/kernel/launch_words.h"
#include "core/kernel/state.h"

namespace thallo {

// The functions of one kernel, as core/kernel/emit.h declares them for dialect C.
struct HostKernel {
  using Points = void (*)(const void* args, long long section, long long begin, long long end,
                          double* partial);
  using Epilogue = void (*)(const void* args);
  Points points = nullptr;
  Epilogue epilogue = nullptr;
};

// The private copies: memory that parts other than the first scatter into instead of the fields.
// One set serves all launches of a program, so it is all zero between launches.
class PrivateCopies {
 public:
  // Makes room for `bytes` per part, for all parts but the first. Throws std::bad_alloc.
  void reserve(int num_parts, std::size_t bytes);
  std::byte* of_part(int part) const { return copies_[static_cast<std::size_t>(part) - 1].data(); }

 private:
  std::vector<AlignedBytes> copies_;
};

class PointLaunch {
 public:
  struct Section {
    std::int64_t num_points = 0;
    std::int64_t num_values = 0;  // that are computed at each point
  };
  // A sum, or a maximum, over all points, which ends up in a slot of the state.
  struct Reduction {
    StateSlot slot = StateSlot::SumA;
    bool is_max = false;
  };
  // Memory that points add to, which may be the same for several of them.
  struct Scattered {
    std::byte* data = nullptr;
    std::size_t count = 0;  // scalars
    bool is_double = false;
    std::vector<std::size_t> words;  // the argument words (indices) that point into it

    std::size_t bytes() const { return count * (is_double ? sizeof(double) : sizeof(float)); }
  };
  struct Task {
    HostKernel kernel;
    double* state = nullptr;
    std::vector<std::uint64_t> words = {};
    std::vector<Section> sections = {};
    std::vector<Reduction> reductions = {};
    // Empty if no two points add to the same element.
    std::vector<Scattered> scattered = {};
    // False if the kernel reads what it scatters to, or stores to it other than by adding. A
    // private copy supports neither, so such a kernel runs as one part.
    bool keeps_apart = true;
  };

  PointLaunch(Task task, int num_threads);

  // The private bytes that each part but the first needs; 0 when the kernel scatters nothing or
  // there is only one part.
  std::size_t private_bytes() const { return private_bytes_; }
  // Must be called before the first run, and again whenever the copies were reserved anew.
  void use(const PrivateCopies& copies);
  void run(ThreadPool& pool, const PrivateCopies& copies);
  // Runs the points from `begin` to `end` of a kernel over the members of a batch, on this thread.
  void run(std::int64_t begin, std::int64_t end) const {
    task_.kernel.points(task_.words.data(), 0, begin, end, nullptr);
  }

 private:
  // A piece of memory that the kernel scatters into: a field, or several fields of a buffer that
  // overlap; and where its copy begins in a private copy, in bytes.
  struct Piece {
    Scattered memory;
    std::size_t offset = 0;
  };
  static std::vector<Piece> merged(std::vector<Scattered> fields);
  void run_part(int part);
  void add_copies(ThreadPool& pool, const PrivateCopies& copies) const;

  Task task_;
  // For each part its argument words, which point to the copies it scatters into, and its partial
  // reductions. Made before parts run, so that the threads do not allocate.
  std::vector<std::vector<std::uint64_t>> part_words_;
  std::vector<std::vector<double>> partials_;
  std::vector<Piece> pieces_;
  std::size_t private_bytes_ = 0;
  int num_parts_ = 1;
};

}  // namespace thallo
