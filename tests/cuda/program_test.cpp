// The phases of a solver on a device against the interpreter, for every sample energy. (Their
// operators are compared with the definition of the energy in tests/equivalence.)
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "core/kernel/generate.h"
#include "core/kernel/lower.h"
#include "tests/cuda/support.h"
#include "tests/support/damped_blocks.h"
#include "tests/support/sample_energies.h"

namespace thallo {
namespace {

std::unique_ptr<Executable> make(Backend& backend, const test::SampleEnergy& sample,
                                 const ProgramOptions& options, Precision precision) {
  return backend
      .compile(generate(make_program(sample.energy, default_plan(sample.energy), options)),
               {.precision = precision})
      .value();
}

// One linear solve of Levenberg-Marquardt and its step, buffer by buffer.
TEST(CudaProgram, RunsTheSolversPhasesAsTheInterpreterDoes) {
  THALLO_REQUIRE_CUDA(cuda);
  const auto interpreter = make_interpreter_backend();
  ASSERT_TRUE(interpreter.has_value());
  for (const test::SampleEnergy& sample : test::sample_energies()) {
    SCOPED_TRACE(sample.name);
    const auto device = make(cuda, sample, test::damped_blocks, Precision::Double);
    const auto host = make(**interpreter, sample, test::damped_blocks, Precision::Double);
    for (Executable* executable : {device.get(), host.get()}) {
      ASSERT_TRUE(executable->bind(sample.binding).has_value());
      SolverState state{};
      at(state, StateSlot::MaxLinearIterations) = 4;
      at(state, StateSlot::ResetPeriod) = 3;
      at(state, StateSlot::Radius) = 100;
      at(state, StateSlot::StepFactor) = 1;
      at(state, StateSlot::MinDiagonal) = 1e-3;
      at(state, StateSlot::MaxDiagonal) = 1e6;
      executable->write_state(state);
      for (const Phase phase : {Phase::Setup, Phase::Values, Phase::Cost, Phase::Linearize,
                                Phase::SaveScale, Phase::Damp}) {
        executable->run(phase);
      }
      executable->run_linear_loop({.max_iterations = 4, .reset_period = 3});
      for (const Phase phase :
           {Phase::Retract, Phase::TrialValues, Phase::TrialCost, Phase::Accept}) {
        executable->run(phase);
      }
    }
    for (std::size_t b = 0; b < host->program().buffers.size(); ++b) {
      const std::vector<double> on_device = device->read_buffer(b);
      const std::vector<double> on_host = host->read_buffer(b);
      ASSERT_EQ(on_device.size(), on_host.size());
      double scale = 1e-3;  // what a converged solve leaves in a residual is rounding
      for (const double value : on_host) scale = std::max(scale, std::abs(value));
      for (std::size_t i = 0; i < on_host.size(); ++i) {
        EXPECT_NEAR(on_device[i], on_host[i], 1e-9 * scale)
            << host->program().buffers[b].name << "[" << i << "]";
      }
    }
  }
}

}  // namespace
}  // namespace thallo
