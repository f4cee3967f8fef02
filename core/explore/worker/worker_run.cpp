#include "core/explore/worker/worker_run.h"

#include <filesystem>
#include <system_error>

#include "core/explore/worker/refusal.h"
#include "core/problem/driver.h"

namespace thallo {
namespace {

namespace fs = std::filesystem;

RunRequest request_of(const RunOrder& order, Session& session) {
  RunRequest request;
  request.options = order.target.options;
  request.device_spec = order.target.device_spec;
  request.precision = order.target.precision;
  request.solver_options = order.target.solver_options;
  request.compile.num_threads = order.target.num_threads;
  request.compile.memory_limit = order.target.memory_limit;
  request.parts = session.solver_parts();
  request.constructs = &session.constructs();
  request.schedule_text = order.schedule;
  request.sites = order.target.sites;
  request.passes = order.target.passes;
  return request;
}

void report_progress(const RunProgress& progress, MessageWriter& messages) {
  if (progress.stage != RunStage::Iteration) {
    messages.doing({.what = std::string(to_string(progress.stage)), .solve = progress.solve});
    return;
  }
  messages.part(RunIteration{progress.solve, *progress.iteration});
}

// Makes the folder before the run, so that the run is not lost if the folder cannot be written.
void make_folder(const std::string& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw Refusal{ResultStatus::NotRun, folder + ": " + error.message()};
}

}  // namespace

RunAnswer carry_out_run(const RunOrder& order, Session& session, Backend& backend,
                        MessageWriter& messages, const std::stop_token& stop) {
  if (!order.folder.empty()) make_folder(order.folder);
  const auto problem = session.open_problem(order.target.problem, order.target.bindings);
  if (!problem) throw Refusal{ResultStatus::NotRun, problem.error().message()};
  RunRequest request = request_of(order, session);
  request.progress = [&](const RunProgress& progress) { report_progress(progress, messages); };
  request.stop = stop;
  const Run run = wanted(solve_problem(**problem, request, backend));
  RunAnswer answer{.run = RunRecord::of(**problem, run),
                   .device = backend.device().name,
                   .cancelled = stop.stop_requested()};
  if (!order.folder.empty()) answer.files = wanted(write_report(run.report, order.folder));
  return answer;
}

}  // namespace thallo
