#include "core/export/runtime/host_program.h"

#include <algorithm>
#include <cstring>
#include <thread>
#include <utility>

namespace thallo {
namespace {

int all_threads() { return std::max(1, static_cast<int>(std::thread::hardware_concurrency())); }

}  // namespace

HostProgram::HostProgram(int num_threads) : pool_(num_threads > 0 ? num_threads : all_threads()) {}

void HostProgram::begin() {
  num_allocated_ = 0;
  tables_.clear();
  launches_.clear();
  for (auto& steps : phases_) steps.clear();
}

std::byte* HostProgram::bytes(std::size_t count) {
  if (num_allocated_ == memory_.size()) memory_.emplace_back();
  AlignedBytes& memory = memory_[num_allocated_++];
  if (memory.data() == nullptr || memory.bytes() != count)
    memory = AlignedBytes(count);
  else
    memory.clear();
  return memory.data();
}

const std::int32_t* HostProgram::keep(std::vector<std::int32_t> table) {
  return tables_.emplace_back(std::move(table)).data();
}

double* HostProgram::allocate_states(std::int64_t count) {
  num_states_ = static_cast<std::size_t>(count);
  states_ = allocate<double>(count * num_state_slots);
  return states_;
}

void HostProgram::add(Phase phase, std::optional<StepGate> gate, PointLaunch::Task task) {
  task.state = states_;
  PointLaunch& launch = launches_.emplace_back(std::move(task), pool_.num_threads());
  add_step(phase, [this, gate, &launch] {
    if (is_open(gate)) launch.run(pool_, copies_);
  });
}

void HostProgram::add_clear(Phase phase, void* memory, std::size_t bytes) {
  add_step(phase, [memory, bytes] { std::memset(memory, 0, bytes); });
}

void HostProgram::finish() {
  std::size_t private_bytes = 0;
  for (const PointLaunch& launch : launches_)
    private_bytes = std::max(private_bytes, launch.private_bytes());
  copies_.reserve(pool_.num_threads(), private_bytes);
  for (PointLaunch& launch : launches_) launch.use(copies_);
}

void HostProgram::run(Phase phase) {
  for (const auto& step : phases_[static_cast<std::size_t>(phase)]) step();
}

bool HostProgram::is_open(const std::optional<StepGate>& gate) const {
  return !gate || states_[static_cast<std::size_t>(gate->slot)] == gate->value;
}

bool HostProgram::has_stopped() {
  for (std::size_t i = 0; i < num_states_; ++i) {
    if (states_[i * num_state_slots + static_cast<std::size_t>(StateSlot::Stop)] == 0) return false;
  }
  return true;
}

void HostProgram::read_states(std::span<SolverState> states, std::span<const std::size_t> which) {
  for (const std::size_t i : which)
    std::copy_n(states_ + i * num_state_slots, num_state_slots, states[i].begin());
}

void HostProgram::write_states(std::span<const SolverState> states,
                               std::span<const std::size_t> which) {
  for (const std::size_t i : which) std::ranges::copy(states[i], states_ + i * num_state_slots);
}

}  // namespace thallo
