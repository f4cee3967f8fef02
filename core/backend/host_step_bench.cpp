#include "core/backend/host_step_bench.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>

#include "core/base/seconds_since.h"

namespace thallo {
namespace {

constexpr int MaxRuns = 1 << 14;  // per batch
constexpr std::size_t CacheLineBytes = 64;

double measure_clock() {
  std::vector<double> seconds(1001);
  for (double& s : seconds) s = seconds_since(std::chrono::steady_clock::now());
  return median(std::move(seconds));
}

#if defined(__x86_64__)
constexpr bool CanEvict = true;
void evict_line(const std::byte* line) { __builtin_ia32_clflush(line); }
void wait_for_evictions() { __builtin_ia32_mfence(); }
#elif defined(__aarch64__)
constexpr bool CanEvict = true;
void evict_line(const std::byte* line) { asm volatile("dc civac, %0" ::"r"(line) : "memory"); }
void wait_for_evictions() { asm volatile("dsb ish" ::: "memory"); }
#else
constexpr bool CanEvict = false;
void evict_line(const std::byte*) {}
void wait_for_evictions() {}
#endif

}  // namespace

HostStepBench::HostStepBench(const KernelProgram& program, HostMemory& memory, RunStep run)
    : program_(program),
      memory_(memory),
      run_(std::move(run)),
      pieces_(memory.changing()),
      copies_(pieces_.size()) {}

Expected<void> HostStepBench::keep(const StepMemory& memory) {
  restore();
  for (const std::size_t piece : memory.changed) {
    if (copies_[piece].bytes() == pieces_[piece].size()) continue;
    const auto make = [&] {
      return HostAllocation::copy_of(pieces_[piece], "a copy of what a step changes");
    };
    auto copy = make();
    if (!copy) {
      drop_copies_beside(memory);
      copy = make();
    }
    if (!copy) return fail(copy.error());
    copies_[piece] = *std::move(copy);
  }
  return {};
}

void HostStepBench::drop_copies_beside(const StepMemory& memory) {
  for (std::size_t piece = 0; piece < copies_.size(); ++piece)
    if (!memory.changed.contains(piece)) copies_[piece] = {};
}

void HostStepBench::restore() {
  for (const std::size_t piece : changed_)
    std::ranges::copy(copies_[piece].span(), pieces_[piece].begin());
  changed_.clear();
}

void HostStepBench::write_state(const SolverState& state) {
  const std::span<double> states = memory_.doubles(program_.state);
  for (std::size_t first = 0; first < states.size(); first += state.size())
    std::ranges::copy(state, states.subspan(first).begin());
}

void HostStepBench::evict() {
  for (const std::span<const std::byte> piece : used_) {
    for (std::size_t i = 0; i < piece.size(); i += CacheLineBytes) evict_line(&piece[i]);
  }
  wait_for_evictions();
}

double HostStepBench::run_once() {
  if (trial_.restores_state) write_state(trial_.start);
  if (trial_.caches == CacheUse::Evicted) evict();
  const auto start = std::chrono::steady_clock::now();
  run_(program_.steps(trial_.phase)[trial_.step]);
  return seconds_since(start);
}

Expected<void> HostStepBench::prepare(const StepTrial& trial, double seconds) {
  if (trial.caches == CacheUse::Evicted && !CanEvict) {
    return fail("caches cannot be emptied on this processor");
  }
  restore();
  trial_ = trial;
  used_ = memory_.pieces(trial.memory.fields, trial.memory.maps);
  changed_ = trial.memory.changed;
  write_state(trial_.start);
  run_once();
  const auto start = std::chrono::steady_clock::now();
  run_once();
  const double once = seconds_since(start);  // includes what happens before the run
  num_runs_ = static_cast<int>(std::clamp(std::ceil(seconds / once), 1.0, double{MaxRuns}));
  return {};
}

double HostStepBench::time_batch() {
  const double clock = measure_clock();  // other work on the machine changes it
  restore();
  changed_ = trial_.memory.changed;
  write_state(trial_.start);
  if (trial_.caches == CacheUse::Hot) {
    run_once();  // the caches hold what the copying has left
    write_state(trial_.start);
  }
  double seconds = 0;
  for (int i = 0; i < num_runs_; ++i) seconds += run_once();
  return seconds / num_runs_ - clock;
}

}  // namespace thallo
