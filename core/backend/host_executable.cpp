#include "core/backend/host_executable.h"

#include <algorithm>
#include <chrono>
#include <utility>
#include <variant>

#include "core/backend/host_step_bench.h"
#include "core/backend/library_ops.h"
#include "core/base/error.h"
#include "core/base/overloaded.h"
#include "core/base/seconds_since.h"

namespace thallo {
FieldId rebound(const LaunchKernel& step, FieldId field) {
  const auto found = step.rebind.find(field);
  return found == step.rebind.end() ? field : found->second;
}

HostExecutable::HostExecutable(GeneratedProgram program, HostPrecision precision,
                               const CompileOptions& options)
    : generated_(std::move(program)), memory_(generated_.program, precision, options.memory_limit) {
  for (const KernelCode& code : generated_.codes) {
    records_.push_back({.role = code.role, .label = code.label, .source = {}, .key = {}});
  }
}

Expected<void> HostExecutable::bind_valid(const Binding& binding) {
  if (const std::vector<FieldId> fields = binding.fields_on_device(); !fields.empty()) {
    return fail("'{}' is an array in the memory of a device, which no program on the host reads",
                program().field(fields.front()).name);
  }
  THALLO_CHECK(memory_.bind(binding));
  timing_.clear();
  direct_.reset();
  multigrid_.reset();
  return prepare();
}

Expected<void> HostExecutable::upload(const Binding& binding, FieldId field) {
  memory_.upload(binding, field);
  return is_param(program(), field) ? prepare() : Expected<void>{};
}

void HostExecutable::download_unknowns(Binding& binding) {
  for (const FieldId unknown : program().unknowns) memory_.download(binding, unknown);
}

void HostExecutable::run(Phase phase) {
  const auto start = std::chrono::steady_clock::now();
  std::int64_t num_launches = 0;
  for (const Step& step : program().steps(phase)) num_launches += run_step(step);
  count(phase, num_launches, seconds_since(start));
}

void HostExecutable::count(Phase phase, std::int64_t num_launches, double seconds) {
  PhaseTiming& timing = timing_[phase];
  timing.phase = phase;
  timing.launches += num_launches;
  timing.seconds += seconds;
}

int HostExecutable::run_step(const Step& step) {
  return std::visit(Overloaded{[this](const LaunchKernel& kernel) {
                                 if (!is_open(kernel.gate)) return 0;
                                 launch(kernel);
                                 return 1;
                               },
                               [this](const ClearBuffer& clear) {
                                 memory_.clear_buffer(clear.buffer);
                                 return 0;
                               },
                               [this](const MultiplyMatrix& product) {
                                 multiply(program(), memory_, product);
                                 return 1;
                               },
                               [this](const AddGram& gram) {
                                 add_gram(program(), memory_, gram);
                                 return 1;
                               },
                               [this](const RunMultigrid& multigrid) {
                                 if (!is_open(multigrid.gate)) return 0;
                                 run_multigrid(multigrid.pass);
                                 return 1;
                               },
                               [this](const SolveDirect& direct) {
                                 solve(direct);
                                 return 0;
                               }},
                    step);
}

bool HostExecutable::is_open(const std::optional<Gate>& gate) const {
  return !gate ||
         memory_.doubles(program().state)[static_cast<std::size_t>(gate->slot)] == gate->value;
}

void HostExecutable::solve(const SolveDirect& step) {
  if (direct_ == nullptr) {
    MatrixPattern pattern{.n = memory_.sizes().num_matrix_rows()};
    if (step.solver->form() == MatrixForm::Csr) {
      pattern.offsets = memory_.map(step.offsets);
      pattern.columns = memory_.map(step.columns);
    }
    direct_ = std::make_unique<DirectSolve>(*step.solver, pattern);
  }
  const std::vector<double> b = memory_.read_buffer(step.b);
  const std::vector<double> free = memory_.read_buffer(step.free);
  std::vector<double> damping;
  if (step.damping) damping = memory_.read_buffer(*step.damping);
  std::vector<double> copy;
  std::span<const double> matrix;
  if (memory_.buffer_type(step.matrix) == ScalarType::Double) {
    matrix = memory_.doubles(program().buffers[step.matrix].fields.front());
  } else {
    copy = memory_.read_buffer(step.matrix);
    matrix = copy;
  }
  memory_.write_buffer(
      step.x, direct_->solve({.matrix = matrix, .damping = damping, .free = free, .b = b}));
  const auto slot = [&](StateSlot which) -> double& {
    return memory_.doubles(program().state)[static_cast<std::size_t>(which)];
  };
  slot(StateSlot::DirectFailed) = direct_->has_failed() ? 1 : 0;
  slot(StateSlot::LinearIteration) = static_cast<double>(direct_->num_iterations());
}

void HostExecutable::run_multigrid(RunMultigrid::Pass pass) {
  if (memory_.sizes().num_unknowns() == 0) return;
  if (multigrid_ == nullptr) {
    multigrid_ = make_host_multigrid(program(), memory_,
                                     [this](int num_parts, const std::function<void(int)>& task) {
                                       run_parts(num_parts, task);
                                     });
  }
  multigrid_->run(pass);
}

bool HostExecutable::has_stopped() {
  const std::pair all(std::int64_t{0}, static_cast<std::int64_t>(num_states()));
  return has_stopped(std::span(&all, 1));
}

bool HostExecutable::has_stopped(
    std::span<const std::pair<std::int64_t, std::int64_t>> members) const {
  const double* const stop =
      &memory_.doubles(program().state)[static_cast<std::size_t>(StateSlot::Stop)];
  for (const auto& [begin, end] : members) {
    for (std::int64_t i = begin; i < end; ++i)
      if (stop[i * num_state_slots] == 0) return false;
  }
  return true;
}

void HostExecutable::read_states(std::span<SolverState> states,
                                 std::span<const std::size_t> which) {
  const double* const memory = memory_.doubles(program().state).data();
  for (const std::size_t i : which)
    std::copy_n(memory + i * num_state_slots, num_state_slots, states[i].begin());
}

void HostExecutable::write_states(std::span<const SolverState> states,
                                  std::span<const std::size_t> which) {
  double* const memory = memory_.doubles(program().state).data();
  for (const std::size_t i : which) std::ranges::copy(states[i], memory + i * num_state_slots);
}

std::vector<double> HostExecutable::read_buffer(std::size_t buffer) {
  return memory_.read_buffer(buffer);
}

void HostExecutable::write_buffer(std::size_t buffer, const std::vector<double>& values) {
  memory_.write_buffer(buffer, values);
}

const ProgramSizes& HostExecutable::sizes() const {
  THALLO_ASSERT(memory_.is_bound(), "sizes before bind");
  return memory_.sizes();
}

Expected<std::unique_ptr<StepBench>> HostExecutable::make_step_bench() {
  return std::make_unique<HostStepBench>(program(), memory_,
                                         [this](const Step& step) { run_step(step); });
}

std::vector<PhaseTiming> HostExecutable::timing() const {
  std::vector<PhaseTiming> list;
  for (const auto& [phase, timing] : timing_) list.push_back(timing);
  return list;
}

}  // namespace thallo
