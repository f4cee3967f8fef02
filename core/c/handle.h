// What stands behind a thallo_solver*, and the one way from a C function to it.
#pragma once

#include <atomic>
#include <cstddef>
#include <exception>
#include <initializer_list>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "core/base/diagnostic.h"
#include "core/base/sparse_matrix.h"
#include "core/base/stop_scope.h"
#include "core/c/problem_run.h"
#include "core/c/thallo.h"
#include "core/embed/energy_solver.h"

namespace thallo::c_api {

// The outcome of a C function; by default, that it succeeded.
struct Fault {
  thallo_status code = THALLO_OK;
  std::string text;
};

Fault fault(thallo_status code, const Diagnostic& diagnostic);
inline bool failed(const Fault& fault) { return fault.code != THALLO_OK; }

// Stores what was found, or says why there is no such thing.
template <class Found, class Result>
Fault store(Expected<Found> found, Result* result,
            thallo_status otherwise = THALLO_INVALID_ARGUMENT) {
  if (!found) return fault(otherwise, found.error());
  *result = *std::move(found);
  return {};
}

// An argument that must not be NULL.
struct Required {
  const char* argument;
  const void* pointer;
};

// Returns the fault of the first argument that is NULL.
Fault find_null(std::initializer_list<Required> arguments);
// Returns the fault of a list of options that has a NULL where none may be. The list is called
// `argument`.
Fault find_null_option(const char* argument, const thallo_option* options, std::size_t count);

// Ends calls from other threads.
class Cancellation {
 public:
  // Returns a token for the next solve, which earlier requests do not end.
  std::stop_token renew() {
    const std::scoped_lock lock(mutex_);
    source_ = {};
    return source_.get_token();
  }
  void request() {
    const std::scoped_lock lock(mutex_);
    (of_call_ ? *of_call_ : source_).request_stop();
  }

  // Runs a call that is no solve: while it runs, requests end it and leave a solve that was begun
  // as it is. work() returns a Fault and calls check_stop().
  template <class Work>
  Fault run(const Work& work) {
    const StopScope scope(begin_call());
    const std::unique_ptr<Cancellation, EndCall> end(this);
    try {
      return work();
    } catch (const Stopped&) {
      return {THALLO_CANCELLED, "thallo_cancel() ended the call before it had a result"};
    }
  }

 private:
  struct EndCall {
    void operator()(Cancellation* of) const {
      const std::scoped_lock lock(of->mutex_);
      of->of_call_.reset();
    }
  };

  std::stop_token begin_call() {
    const std::scoped_lock lock(mutex_);
    return of_call_.emplace().get_token();
  }

  std::mutex mutex_;
  std::stop_source source_;                  // of the solve
  std::optional<std::stop_source> of_call_;  // of another call, while it runs
};

// F and J, as thallo_linearize() found them.
struct Jacobian {
  SparseMatrix matrix;
  std::vector<double> residuals;
};

struct Handle {
  explicit Handle(EnergySolver made) : solver(std::move(made)) {}

  std::optional<ProblemRun> problem;  // that the solver was made for, with arrays that it reads
  EnergySolver solver;
  SolverOptions options = SolverOptions::until_converged();  // of the next solves
  thallo_callback callback = nullptr;
  void* user = nullptr;
  Cancellation cancellation;
  std::optional<Jacobian> jacobian;
  std::optional<SolverSummary> summary;  // of the last solve that succeeded
  bool is_advanced = false;              // True if thallo_advance() prepared a solve since then
  std::string text;                      // the one that was returned last
  Fault fault;                           // the last one
  std::atomic_flag is_busy;
};

// Makes a handle known under a number that is never used again.
thallo_solver* add_handle(std::shared_ptr<Handle> handle);
// Fails, and leaves the handle known, if another call is working on it.
Fault remove_handle(const thallo_solver* token);

// Ends the solve of a handle, whether or not another call is working on it.
Fault cancel(const thallo_solver* token);

// A call that is working on a handle.
class Call {
 public:
  // Finds the handle and makes it busy; fault() says why it could not.
  explicit Call(const thallo_solver* token);
  ~Call();
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  const Fault& fault() const { return fault_; }
  Handle& handle() const { return *handle_; }

 private:
  std::shared_ptr<Handle> handle_;  // null if it could not be used
  Fault fault_;
};

// Keeps a fault for the calling thread, and returns its code.
thallo_status keep_for_thread(Fault fault) noexcept;
const Fault& fault_of_thread() noexcept;

// Runs a part of a C function; whatever it throws becomes a fault.
template <class Part>
Fault catch_all(const Part& part) {
  try {
    return part();
  } catch (const std::bad_alloc&) {
    return {THALLO_SOLVE_FAILED, "memory ran out"};
  } catch (const std::exception& error) {
    return {THALLO_INTERNAL_ERROR, error.what()};
  } catch (...) {
    return {THALLO_INTERNAL_ERROR, "an exception of unknown type was thrown"};
  }
}

// Runs the body of a C function without a solver, unless one of the arguments is NULL.
template <class Body>
thallo_status run_free(std::initializer_list<Required> arguments, const Body& body) noexcept {
  Fault fault = catch_all([&] {
    Fault null = find_null(arguments);
    return failed(null) ? null : body();
  });
  return failed(fault) ? keep_for_thread(std::move(fault)) : THALLO_OK;
}

// Runs the body of a C function on its solver: Fault body(Handle&).
template <class Body>
thallo_status run_on(const thallo_solver* token, std::initializer_list<Required> arguments,
                     const Body& body) noexcept {
  return run_free({}, [&]() -> Fault {
    const Call call(token);
    if (failed(call.fault())) return call.fault();
    Fault fault = catch_all([&] {
      Fault null = find_null(arguments);
      return failed(null) ? null : body(call.handle());
    });
    if (failed(fault)) call.handle().fault = fault;
    return fault;
  });
}

}  // namespace thallo::c_api
