#include "core/backend/cuda/batch_marks.h"

#include <atomic>
#include <string>
#include <utility>

#include "core/backend/cuda/load.h"
#include "core/backend/cuda/sources.h"

namespace thallo::cuda {
namespace {

constexpr unsigned int MarkBlockSize = 32;

// The host is addressed as it is: page-locked memory has the same address on the device.
std::uint64_t address_of(const void* host) { return reinterpret_cast<std::uintptr_t>(host); }

}  // namespace

Expected<std::unique_ptr<BatchMarks>> BatchMarks::load(const Device& device) {
  THALLO_TRY(auto module, compile_and_load(own_source("batch"), device));
  THALLO_TRY(auto times, DeviceBuffer::allocate(NumTimes * sizeof(Word), "the times of a batch"));
  return std::unique_ptr<BatchMarks>(new BatchMarks(std::move(module), std::move(times)));
}

BatchMarks::BatchMarks(Module module, DeviceBuffer times)
    : module_(std::move(module)), times_(std::move(times)), pinned_(sizeof(Exchange)) {
  exchange() = {};
}

void BatchMarks::bind(CUdeviceptr state) {
  if (state == bound_state_) return;
  bound_state_ = state;
  const auto step = [&](const char* name, std::vector<Word> words) -> BoundStep {
    return BoundLaunch{.function = module_.function(name),
                       .num_blocks = 1,
                       .block_size = MarkBlockSize,
                       .words = std::move(words),
                       .has_loop_condition = false,
                       .label = std::string(name) + " of a batch"};
  };
  const Word times = times_.pointer();
  begin_ = step("begin",
                {state, address_of(&exchange().from_host), num_state_slots, times, Word{NumTimes}});
  end_ =
      step("end", {state, num_state_slots, times, Word{NumTimes}, address_of(&exchange().to_host)});
  for (std::size_t phase = 0; phase < NumPhases; ++phase)
    after_[phase] = step("mark", {times + (1 + phase) * sizeof(Word)});
}

void BatchMarks::start(const SolverState& state) {
  exchange().from_host = state;
  std::atomic_ref(exchange().ended).store(0, std::memory_order_release);
}

bool BatchMarks::has_ended() const {
  return std::atomic_ref(exchange().ended).load(std::memory_order_acquire) != 0;
}

SolverState BatchMarks::state() const { return exchange().to_host; }

double BatchMarks::seconds_until(Word time) const {
  return 1e-9 * static_cast<double>(time - exchange().times[0]);
}

double BatchMarks::end_seconds() const { return seconds_until(exchange().ended); }

double BatchMarks::seconds_after(Phase phase) const {
  const Word time = exchange().times[1 + static_cast<std::size_t>(phase)];
  return time == 0 ? end_seconds() : seconds_until(time);
}

}  // namespace thallo::cuda
