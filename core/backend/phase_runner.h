// What runs the phases of a solve. A solver knows its program by this interface alone.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "core/kernel/phase.h"
#include "core/kernel/state.h"

namespace thallo {

struct LinearLoop {
  int max_iterations = 0;
  int reset_period = 0;  // 0 = never
  // Returns true if the caller no longer wants the remaining iterations; if empty, all are run. The
  // thread that called run_linear_loop() calls this now and then between iterations. If the whole
  // loop runs on the device, read_state() calls it while waiting for the loop. The results of the
  // iterations so far are kept.
  std::function<bool()> is_interrupted = {};
};

// What a solver has to be done before it looks at the state again: phases, the linear loop, phases.
struct Batch {
  std::vector<Phase> before;
  std::optional<LinearLoop> loop = {};
  std::vector<Phase> after = {};
};

// Iterations that the members of a batch make without the host, which decides as core/solve does:
// the runner gets the bytes of its types, and brings them back as the device has left them.
struct MemberIterations {
  int most = 0;                          // that a member makes
  std::optional<LinearLoop> loop = {};   // else the step is solved for directly
  std::span<std::byte> descents;         // a Descent for each member; those that ended rest
  std::span<const std::byte> rules;      // DescentRules
  std::span<std::byte> records;          // `most` IterationRecords of the batch
  std::function<bool()> is_interrupted;  // as in LinearLoop
};

// Runs the phases of a linear loop until it ends: its own, the states' or by its caller's wish.
void run_loop(const LinearLoop& loop, const std::function<void(Phase)>& run,
              const std::function<bool()>& has_stopped);

class PhaseRunner {
 public:
  virtual ~PhaseRunner() = default;

  // Enqueues the steps of a phase. On a host they are finished on return.
  virtual void run(Phase phase) = 0;
  // True if state.Stop is raised in all states.
  virtual bool has_stopped();
  // Runs the PCG loop: Direction, Apply, Update and, after every reset_period-th iteration, the
  // reset phases. It ends after max_iterations, at state.Stop, or when interrupted. The caller must
  // have run Damp. The base implementation is a host loop that reads the state after every
  // iteration.
  virtual void run_linear_loop(const LinearLoop& loop);

  // Writes states, runs the batch and reads the states that it leaves. The base implementation
  // calls the functions for single phases; a device launches the whole batch and is waited for
  // once.
  virtual void run_batch(const Batch& batch, std::span<SolverState> states,
                         std::span<const std::size_t> which);

  // Has the members of a batch make iterations, accepting what each of them accepts; the states, as
  // last written, are the device's from then on. Returns how many iterations the last of them
  // made, of which the records are set; nothing if the runner cannot decide, and has done nothing.
  virtual std::optional<int> iterate_members(const MemberIterations&, std::span<SolverState>) {
    return std::nullopt;
  }

  // There is a state for each member, if the energy is of a batch of them; else there is one. Those
  // that are not asked for may be left as they are.
  virtual void read_states(std::span<SolverState> states, std::span<const std::size_t> which) = 0;
  virtual void write_states(std::span<const SolverState> states,
                            std::span<const std::size_t> which) = 0;
  virtual std::size_t num_states() const = 0;
  std::vector<std::size_t> all_states() const;
};

}  // namespace thallo
