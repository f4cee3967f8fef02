// Thallo in a program of one's own: an energy, the program's arrays, and a solver.
//
//   auto solver = thallo::EnergySolver::load("denoise.lua");
//   if (!solver) ...                                  // solver.error().message()
//   std::vector<float> picture = ..., noisy = ...;    // 640 x 480
//   solver->bind("X", picture, {640, 480}).bind("A", noisy, {640, 480}).bind("w", 0.5);
//   auto summary = solver->solve();                   // picture is the solution
//
// bind() notes which array is an input and copies nothing: every solve() reads what the arrays hold
// then and writes the solution into those of the unknowns. To solve again with other data, change
// the arrays and call solve(), which compiles nothing then. Where extents change, bind
// other arrays. An array must live until nothing is solved with it any more, or until its
// name is bound again.
//
// Order: an array holds its elements with the first dim fastest, the channels of an element
// adjacent: of X = Unknown(float2, {W, H}), channel c at (x, y) is number 2 * (x + W * y) + c. A
// sparse map holds, for each point of its space, as many adjacent coordinates as its
// target has dims.
//
// Errors are values. bind() cannot fail; what is wrong with names, types and shapes is said by
// solve(), all faults at once. A device that fails and memory that runs out are errors, too; only a
// bug of Thallo is thrown (InternalError).
//
// Threads: solvers are independent of each other and may be used at the same time, each by one
// thread. Constructs and linear solvers are those that `thallo plugins` lists; they are found from
// where the library is installed and loaded once, by the first solver of the process.
#pragma once

#include <concepts>
#include <filesystem>
#include <memory>
#include <optional>
#include <ranges>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

#include "core/backend/memory_limit.h"
#include "core/base/diagnostic.h"
#include "core/embed/bound_arrays.h"
#include "core/energy/evaluate/evaluator.h"
#include "core/energy/evaluate/linearization.h"
#include "core/language/energy_file.h"
#include "core/schedule/precision.h"
#include "core/solve/solver.h"

namespace thallo {

class Session;

// What a solver is made with. The options of a solve are SolverOptions (core/solve/options.h).
struct EnergySolverOptions {
  std::string backend = "auto";  // "cuda", "cpu", "interpreter", or the first that there is
  int device = 0;                // the ordinal of a GPU
  // Of the computation. Unset: double where an unknown is bound to an array of doubles, else float.
  std::optional<Precision> precision = {};
  // "auto", which predicts a fast one for the data of the first solve, "default", another name, or
  // the path of a .sched file (core/problem/choose_schedule.h). Empty: the schedule in the energy's
  // text if there is one, else auto.
  std::string schedule = {};
  std::optional<std::string> schedule_text = {};   // its statements, instead of a choice
  int num_threads = 0;                             // of backend cpu; 0 = all
  std::int64_t memory_limit = DefaultMemoryLimit;  // bytes that a schedule may store products in
  // Null: a session that all solvers share. Another one, which must outlive the solver, has plugins
  // from folders of its own.
  Session* session = nullptr;
};

class EnergySolver {
 public:
  // The energy in a file, or in a text; `name` is what messages call the text ("fit.lua").
  static Expected<EnergySolver> load(const std::filesystem::path& energy,
                                     EnergySolverOptions options = {});
  static Expected<EnergySolver> load_text(std::string_view energy, const std::string& name,
                                          EnergySolverOptions options = {});
  // An energy that EnergyBuilder (core/energy/builder.h) or load_energy() made.
  explicit EnergySolver(EnergyFile file, EnergySolverOptions options = {});

  EnergySolver(EnergySolver&&) noexcept;
  EnergySolver& operator=(EnergySolver&&) noexcept;
  ~EnergySolver();

  // An unknown, an array or a sparse map is bound to a vector, std::array or span of double, float,
  // std::int32_t or std::uint8_t, a map to std::int32_t alone; temporaries do not compile. Values
  // are converted to the energy's types: of Array(float, ...), doubles are rounded to float. The
  // shape is the extents of the dims; without one, the extents follow from the sizes of arrays as
  // far as they can (BoundArrays::read).
  template <std::ranges::contiguous_range Values>
  requires std::ranges::sized_range<Values> &&
      (std::is_lvalue_reference_v<Values> ||
       std::ranges::borrowed_range<Values>)EnergySolver& bind(std::string_view name,
                                                              Values&& values, Shape shape = {}) {
    return bind_array(name, std::span(std::ranges::data(values), std::ranges::size(values)),
                      std::move(shape));
  }
  // A param is bound to its value, a dim to its extent.
  EnergySolver& bind(std::string_view name, double number);

  // Minimizes from the values of the unknowns and leaves the solution in them; after an error they
  // are as they were. By default Levenberg-Marquardt until the cost settles. The first solve opens
  // the backend and compiles; a later one compiles only for another solver, linear solver,
  // preconditioner or precision. `callback` is called after each iteration, by this thread. A stop
  // ends the solve within an iteration, with what was reached (Termination::Cancelled).
  Expected<SolverSummary> solve(const SolverOptions& options = SolverOptions::until_converged(),
                                const IterationCallback& callback = {}, std::stop_token stop = {});

  // F, J, JᵀF and JᵀJ at the values that the unknowns have now, in double, straight from the
  // definition of the energy: for small energies and for tests, since a residual takes
  // microseconds. linearization.h says in which order rows and columns are.
  Expected<Linearization> linearize() const;
  // The data as they are now, for an EnergyEvaluator, which also says which residual a row is.
  Expected<Binding> binding() const;

  const Energy& energy() const;
  // Of the last solve; empty before the first. The schedule is "" for the default one.
  std::string_view backend() const;
  const std::string& schedule() const;
  // Of all solves so far.
  double compile_seconds() const;

 private:
  struct State;

  EnergySolver& bind_array(std::string_view name, ArrayView values, Shape shape);

  std::unique_ptr<State> state_;
};

}  // namespace thallo
