// The functions of thallo.h. Each one checks its arguments and hands on to EnergySolver.
#include "core/c/thallo.h"

#include <algorithm>

#include "core/c/creation_options.h"
#include "core/c/handle.h"
#include "core/c/summary_values.h"

namespace thallo::c_api {
namespace {

// The last fault of a solver or, where it cannot be looked at, of the calling thread.
Fault last_fault(const thallo_solver* solver) noexcept {
  return catch_all([&] {
    const Call call(solver);
    return call.fault().code == THALLO_OK ? call.handle().fault : fault_of_thread();
  });
}

// `load` returns the energy's solver.
template <class Load>
Fault create(const thallo_option* options, size_t num_options, thallo_solver** solver,
             const Load& load) {
  if (auto null = find_null_option("options", options, num_options); failed(null)) return null;
  auto how = creation_options(options, num_options);
  if (!how) return fault(THALLO_INVALID_OPTION, how.error());
  Expected<EnergySolver> made = load(*std::move(how));
  if (!made) return fault(THALLO_INVALID_ENERGY, made.error());
  *solver = add_handle(std::make_shared<Handle>(*std::move(made)));
  return {};
}

IterationCallback callback_of(const Handle& handle) {
  if (handle.callback == nullptr) return {};
  return [callback = handle.callback, user = handle.user](const IterationRecord& record) {
    const thallo_iteration iteration = to_c(record);
    return callback(&iteration, user) == 0 ? AfterIteration::GoOn : AfterIteration::Stop;
  };
}

// The fault of starting a solve while another one is stepped.
Fault check_not_begun(const EnergySolver& solver) {
  if (!solver.is_stepping()) return {};
  return {THALLO_WRONG_ORDER,
          fmt::format("a solve of '{}' was begun and is not finished; call thallo_finish() first",
                      solver.energy().name())};
}

// The fault of starting a solve: what is bound is to blame if it cannot be read.
Fault start_fault(const EnergySolver& solver, const Diagnostic& why) {
  return fault(solver.binding() ? THALLO_SOLVE_FAILED : THALLO_INVALID_INPUT, why);
}

// Calls a function that needs a solve that was begun, and keeps its result.
template <class Part, class Result>
Fault run_part(EnergySolver& solver, const Part& part, Result& result) {
  const bool was_stepping = solver.is_stepping();
  auto done = part();
  if (done) {
    result = *std::move(done);
    return {};
  }
  if (!was_stepping) return fault(THALLO_WRONG_ORDER, done.error());
  return fault(solver.is_stepping() ? THALLO_INVALID_INPUT : THALLO_SOLVE_FAILED, done.error());
}

// Reads a value of the last summary: `read` takes the solver and the summary.
template <class Read, class Result>
thallo_status read_summary(thallo_solver* solver, std::initializer_list<Required> arguments,
                           Result* result, const Read& read) {
  return run_on(solver, arguments, [&](Handle& handle) -> Fault {
    if (!handle.summary) {
      return {THALLO_WRONG_ORDER, fmt::format("'{}' was not solved yet; call thallo_solve() first",
                                              handle.solver.energy().name())};
    }
    return store(read(handle, *handle.summary), result);
  });
}

}  // namespace
}  // namespace thallo::c_api

using namespace thallo;         // NOLINT: the functions below are outside of it
using namespace thallo::c_api;  // NOLINT

const char* thallo_version(void) { return THALLO_C_VERSION; }

thallo_status thallo_error_code(const thallo_solver* solver) { return last_fault(solver).code; }

const char* thallo_error_text(const thallo_solver* solver) {
  thread_local std::string text;
  text = last_fault(solver).text;
  return text.c_str();
}

thallo_status thallo_create_from_file(const char* path, const thallo_option* options,
                                      size_t num_options, thallo_solver** solver) {
  if (solver != nullptr) *solver = nullptr;
  return run_free({{"path", path}, {"solver", solver}}, [&]() -> Fault {
    return create(options, num_options, solver, [&](EnergySolverOptions how) {
      return EnergySolver::load(path, std::move(how));
    });
  });
}

thallo_status thallo_create_from_text(const char* text, const char* name,
                                      const thallo_option* options, size_t num_options,
                                      thallo_solver** solver) {
  if (solver != nullptr) *solver = nullptr;
  return run_free({{"text", text}, {"name", name}, {"solver", solver}}, [&]() -> Fault {
    return create(options, num_options, solver, [&](EnergySolverOptions how) {
      return EnergySolver::load_text(text, name, std::move(how));
    });
  });
}

thallo_status thallo_free(thallo_solver* solver) {
  return run_free({}, [&] { return remove_handle(solver); });
}

thallo_status thallo_set_option(thallo_solver* solver, const char* name, const char* value) {
  return run_on(solver, {{"name", name}, {"value", value}}, [&](Handle& handle) -> Fault {
    const auto set = handle.options.set(name, value, handle.solver.solver_parts());
    return set ? Fault{} : fault(THALLO_INVALID_OPTION, set.error());
  });
}

thallo_status thallo_set_callback(thallo_solver* solver, thallo_callback callback, void* user) {
  return run_on(solver, {}, [&](Handle& handle) -> Fault {
    handle.callback = callback;
    handle.user = user;
    return {};
  });
}

thallo_status thallo_solve(thallo_solver* solver) {
  return run_on(solver, {}, [&](Handle& handle) -> Fault {
    if (auto begun = check_not_begun(handle.solver); failed(begun)) return begun;
    auto summary =
        handle.solver.solve(handle.options, callback_of(handle), handle.cancellation.renew());
    if (!summary) return start_fault(handle.solver, summary.error());
    handle.summary = *std::move(summary);
    handle.is_advanced = false;
    return {};
  });
}

thallo_status thallo_begin(thallo_solver* solver) {
  return run_on(solver, {}, [&](Handle& handle) -> Fault {
    if (auto other = check_not_begun(handle.solver); failed(other)) return other;
    const auto begun =
        handle.solver.begin(handle.options, callback_of(handle), handle.cancellation.renew());
    return begun ? Fault{} : start_fault(handle.solver, begun.error());
  });
}

thallo_status thallo_step(thallo_solver* solver, int* goes_on) {
  return run_on(solver, {{"goes_on", goes_on}}, [&](Handle& handle) -> Fault {
    return run_part(
        handle.solver, [&] { return handle.solver.step(); }, *goes_on);
  });
}

thallo_status thallo_current_cost(thallo_solver* solver, double* cost) {
  return run_on(solver, {{"cost", cost}}, [&](Handle& handle) -> Fault {
    return run_part(
        handle.solver, [&] { return handle.solver.current_cost(); }, *cost);
  });
}

thallo_status thallo_finish(thallo_solver* solver) {
  return run_on(solver, {}, [&](Handle& handle) -> Fault {
    Fault finished = run_part(
        handle.solver, [&] { return handle.solver.finish(); }, handle.summary);
    if (!failed(finished)) handle.is_advanced = false;
    return finished;
  });
}

thallo_status thallo_cancel(const thallo_solver* solver) {
  return run_free({}, [&] { return cancel(solver); });
}

thallo_status thallo_linearize(thallo_solver* solver, thallo_jacobian_size* size) {
  return run_on(solver, {{"size", size}}, [&](Handle& handle) -> Fault {
    return handle.cancellation.run([&]() -> Fault {
      const auto linearized = handle.solver.linearize();
      if (!linearized) return fault(THALLO_INVALID_INPUT, linearized.error());
      handle.jacobian = Jacobian{linearized->jacobian(), linearized->residuals()};
      const SparseMatrix& matrix = handle.jacobian->matrix;
      *size = {matrix.num_rows(), matrix.num_columns, static_cast<int64_t>(matrix.num_entries())};
      return {};
    });
  });
}

thallo_status thallo_get_jacobian(thallo_solver* solver, int64_t* row_starts, int64_t* columns,
                                  double* values, double* residuals) {
  return run_on(solver, {}, [&](Handle& handle) -> Fault {
    if (!handle.jacobian)
      return {THALLO_WRONG_ORDER, "there is no Jacobian yet; call thallo_linearize() first"};
    const auto& [matrix, of_rows] = *handle.jacobian;
    if (row_starts != nullptr) std::ranges::copy(matrix.offsets, row_starts);
    if (columns != nullptr) std::ranges::copy(matrix.columns, columns);
    if (values != nullptr) std::ranges::copy(matrix.values, values);
    if (residuals != nullptr) std::ranges::copy(of_rows, residuals);
    return {};
  });
}

thallo_status thallo_summary_number(thallo_solver* solver, const char* name, double* number) {
  return read_summary(solver, {{"name", name}, {"number", number}}, number,
                      [&](const Handle& handle, const SolverSummary& summary) {
                        return summary_number(handle.solver, summary, name);
                      });
}

thallo_status thallo_summary_text(thallo_solver* solver, const char* name, const char** text) {
  return read_summary(solver, {{"name", name}, {"text", text}}, text,
                      [&](Handle& handle, const SolverSummary& summary) -> Expected<const char*> {
                        THALLO_TRY(handle.text, summary_text(handle.solver, summary, name));
                        return handle.text.c_str();
                      });
}

thallo_status thallo_summary_times(thallo_solver* solver, const char* name, thallo_times* times) {
  return read_summary(solver, {{"name", name}, {"times", times}}, times,
                      [&](const Handle& handle, const SolverSummary& summary) {
                        return summary_times(handle.solver, summary, name);
                      });
}

thallo_status thallo_summary_iteration(thallo_solver* solver, int64_t iteration,
                                       thallo_iteration* record) {
  return read_summary(
      solver, {{"record", record}}, record,
      [&](const Handle&, const SolverSummary& summary) -> Expected<thallo_iteration> {
        const auto count = static_cast<int64_t>(summary.iterations.size());
        if (iteration < 0 || iteration >= count)
          return fail("the solve has no iteration {} (legal: 0 to {})", iteration, count - 1);
        return to_c(summary.iterations[static_cast<std::size_t>(iteration)]);
      });
}

thallo_status thallo_summary_members(thallo_solver* solver, thallo_member* members, int64_t count) {
  int64_t num_written = 0;
  return read_summary(
      solver, {{"members", members}}, &num_written,
      [&](const Handle&, const SolverSummary& summary) -> Expected<int64_t> {
        const auto most = static_cast<int64_t>(summary.members.size());
        if (count < 0 || count > most)
          return fail("{} members are asked for (legal: 0 to {})", count, most);
        for (const MemberSummary& member : std::span(summary.members).first(count)) {
          members[num_written++] = {member.initial_cost, member.final_cost, member.num_iterations,
                                    member.num_accepted, to_string(member.termination).data()};
        }
        return num_written;
      });
}

thallo_status thallo_summary_group(thallo_solver* solver, int64_t number, thallo_group* group) {
  return read_summary(
      solver, {{"group", group}}, group,
      [&](const Handle&, const SolverSummary& summary) -> Expected<thallo_group> {
        const auto count = static_cast<int64_t>(summary.groups.size());
        if (number < 0 || number >= count)
          return fail("the energy has no residual group {} (legal: 0 to {})", number, count - 1);
        const GroupSummary& found = summary.groups[static_cast<std::size_t>(number)];
        return thallo_group{found.name.c_str(), found.cost, found.num_residuals, found.num_inliers};
      });
}
