#include "core/cli/solve_watch.h"

#include <cstdio>
#include <string>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/solve/summary.h"

namespace thallo::cli {
namespace {

// Returns the startup clock's name for a stage; null if startup is over.
const char* startup_phase(RunStage stage) {
  switch (stage) {
    case RunStage::Energy: return "energy";
    case RunStage::Instantiate: return "data";
    case RunStage::Compile: return "compile";
    case RunStage::Bind: return "bind";
    case RunStage::Solve: return "initial cost";
    case RunStage::Iteration:
    case RunStage::Advance:
    case RunStage::Report: return nullptr;
  }
  THALLO_UNREACHABLE();
}

}  // namespace

SolveWatch::SolveWatch(StartupClock& clock, bool prints_table)
    : clock_(clock), prints_table_(prints_table) {}

void SolveWatch::operator()(const RunProgress& progress) {
  compile_bar_.reset();
  follow_startup(progress);
  if (progress.stage == RunStage::Iteration) {
    interrupt_.keep();
    if (prints_table_) {
      print_iteration(progress);
    } else {
      bar_.update(++num_iterations_, fmt::format("solve {}, cost {:.6e}", progress.solve + 1,
                                                 progress.iteration->cost));
    }
  } else if (!prints_table_) {
    bar_.update(num_iterations_, to_string(progress.stage));
  }
}

void SolveWatch::show_compiled(std::size_t done, std::size_t total) {
  if (done == 0) {
    bar_.clear();
    compile_bar_.emplace("compiling kernels", static_cast<std::int64_t>(total));
  }
  if (!compile_bar_) return;
  compile_bar_->update(static_cast<std::int64_t>(done));
  if (done == total) compile_bar_.reset();
}

// A stage is reported when it begins, which ends the previous stage.
void SolveWatch::follow_startup(const RunProgress& progress) {
  if (!in_startup_) return;
  if (const char* phase = startup_phase(stage_)) clock_.mark(phase);
  stage_ = progress.stage;
  in_startup_ = progress.stage != RunStage::Iteration;
}

void SolveWatch::print_iteration(const RunProgress& progress) {
  const SolverKind solver = progress.solver->solver;
  if (progress.iteration->iteration == 0) {
    if (progress.solve > 0) fmt::print("\nsolve {}\n", progress.solve + 1);
    fmt::print("{}\n", iteration_table_header(solver));
  }
  fmt::print("{}\n", iteration_table_row(solver, *progress.iteration));
  std::fflush(stdout);
}

}  // namespace thallo::cli
