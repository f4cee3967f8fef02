// The program of an exported solver on a GPU: its memory and its launches by phase.
//
// Arrays of the caller may be in the memory of the host, and are copied then, or of the GPU.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/backend/phase_runner.h"
#include "core/kernel/launch_size.h"
#include "core/kernel/launch_words.h"
#include "core/kernel/phase.h"
#include "core/kernel/state.h"

namespace thallo {

// What a launch of a kernel is made of. Its words are the arguments up to the numbers of points;
// those behind follow from the grid.
struct CudaTask {
  struct Section {
    std::int64_t num_points = 0;
    int lanes = 1;  // points that a thread computes at a time
    int team = 1;   // threads that compute a point together; 0: as suits `visits`
    double visits = 0;
    std::vector<std::int64_t> extents = {};
  };
  const void* kernel = nullptr;
  int block_size = 256;
  int rows_per_thread = 0;
  bool has_reductions = false;
  bool has_epilogue = false;
  std::vector<std::uint64_t> words = {};
  std::vector<Section> sections = {};
};

class CudaProgram final : public PhaseRunner {
 public:
  // On the current device. The number is not used: the GPU has its own.
  explicit CudaProgram(int num_threads);
  ~CudaProgram() override;
  CudaProgram(const CudaProgram&) = delete;
  CudaProgram& operator=(const CudaProgram&) = delete;

  // Forgets all launches; the memory stays, for those who ask for as much again.
  void begin();
  // Returns zeroed memory of the GPU. Throws std::runtime_error if memory is short.
  template <class T>
  T* allocate(std::int64_t count) {
    return static_cast<T*>(bytes(static_cast<std::size_t>(count) * sizeof(T)));
  }
  // Return the address on the GPU of an array that is read, and of an unknown, which finish_solve()
  // copies back if it is on the host.
  template <class T>
  const T* input(const T* array, std::int64_t count) {
    return static_cast<const T*>(on_device(array, static_cast<std::size_t>(count) * sizeof(T)));
  }
  template <class T>
  T* unknown(T* array, std::int64_t count) {
    const std::size_t size = static_cast<std::size_t>(count) * sizeof(T);
    T* const device = static_cast<T*>(const_cast<void*>(on_device(array, size)));
    if (device != array) copied_back_.push_back({array, device, size});
    return device;
  }
  const std::int32_t* keep(const std::vector<std::int32_t>& table);
  double* allocate_states(std::int64_t count);
  void add(Phase phase, const CudaTask& task);
  void add_clear(Phase phase, void* memory, std::size_t bytes);
  void finish() {}
  void finish_solve();

  void run(Phase phase) override;
  void run_linear_loop(const LinearLoop& loop) override;
  void read_states(std::span<SolverState> states, std::span<const std::size_t> which) override;
  void write_states(std::span<const SolverState> states,
                    std::span<const std::size_t> which) override;
  std::size_t num_states() const override { return num_states_; }

 private:
  struct Step {
    const void* kernel = nullptr;  // null: memory is set to zero
    unsigned int num_blocks = 0, block_size = 0;
    std::vector<std::uint64_t> words = {};
    void* memory = nullptr;
    std::size_t bytes = 0;
  };
  struct Copy {
    void* host;
    const void* device;
    std::size_t bytes;
  };
  class Device;  // what CUDA has made

  void* bytes(std::size_t count);
  const void* on_device(const void* array, std::size_t bytes);
  void capture(int iterations, bool resets);

  std::unique_ptr<Device> device_;
  std::vector<Copy> copied_back_;
  double* states_ = nullptr;
  std::size_t num_states_ = 0;
  std::uint32_t* arrivals_ = nullptr;
  std::array<std::vector<Step>, NumPhases> phases_;
};

}  // namespace thallo
