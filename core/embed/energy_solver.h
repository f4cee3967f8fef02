// Embeds Thallo in a program: an energy, the program's arrays, and a solver.
//
//   auto solver = thallo::EnergySolver::load("denoise.lua");
//   if (!solver) ...                                  // solver.error().message()
//   std::vector<float> picture = ..., noisy = ...;    // 640 x 480
//   solver->bind("X", picture, {640, 480}).bind("A", noisy, {640, 480}).bind("w", 0.5);
//   auto summary = solver->solve();                   // picture is the solution
//
// bind() records which array belongs to an input and copies nothing: every solve() reads the
// current contents of the arrays and writes the solution into those of the unknowns. To solve again
// with other data, change the arrays and call solve(), which then compiles nothing. If extents
// change, bind other arrays. An array must live until it is no longer used for solving, or until
// its name is bound again.
//
// Order: an array holds its elements with the first dim fastest, the channels of an element
// adjacent: of X = Unknown(float2, {W, H}), channel c at (x, y) is number 2 * (x + W * y) + c. A
// sparse map holds, for each point of its space, as many adjacent coordinates as its
// target has dims.
//
// Errors are values. bind() cannot fail; solve() reports everything that is wrong with names, types
// and shapes at once. Device faults and running out of memory are errors, too; only a bug in Thallo
// is thrown (InternalError).
//
// Threads: solvers are independent of each other and may be used concurrently, each by one thread.
// The available constructs and linear solvers are those that `thallo plugins` lists. They are
// located relative to the installed library and loaded once, by the first solver of the process.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <ranges>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

#include "core/base/diagnostic.h"
#include "core/embed/bound_arrays.h"
#include "core/embed/covariance.h"
#include "core/embed/pull_back.h"
#include "core/energy/evaluate/evaluator.h"
#include "core/energy/evaluate/linearization.h"
#include "core/language/load_energy.h"
#include "core/problem/schedule_times.h"
#include "core/schedule/precision.h"
#include "core/solve/solver.h"

namespace thallo {

class Session;

// The options of a solver. The options of a solve are SolverOptions (core/solve/options.h).
struct EnergySolverOptions {
  std::string backend = "auto";  // "cuda", "cpu", "interpreter", or the first available
  int device = 0;                // the ordinal of a GPU
  // The precision of the computation. If unset: mixed, whatever the types of the arrays are.
  std::optional<Precision> precision = {};
  // "auto", which predicts a fast schedule for the data of the first solve; "default"; another
  // name; or the path of a .sched file (core/problem/choose_schedule.h). If empty: the schedule in
  // the energy's text if there is one, else auto.
  std::string schedule = {};
  std::optional<std::string> schedule_text = {};   // the text of a schedule, in place of a name
  int num_threads = 0;                             // for backend cpu; 0: all
  std::int64_t memory_limit = DefaultMemoryLimit;  // bytes of stored products
  // Null: a session shared by all such solvers. Another session, which must outlive the solver, can
  // have plugins from other folders.
  Session* session = nullptr;
};

class EnergySolver {
 public:
  // Load the energy from a file or from a text; messages refer to the text as `name` ("fit.lua").
  static Expected<EnergySolver> load(const std::filesystem::path& energy,
                                     EnergySolverOptions options = {});
  static Expected<EnergySolver> load_text(std::string_view energy, const std::string& name,
                                          EnergySolverOptions options = {});
  // Takes an energy made by EnergyBuilder (core/energy/builder.h) or load_energy().
  explicit EnergySolver(EnergyFile file, EnergySolverOptions options = {});

  EnergySolver(EnergySolver&&) noexcept;
  EnergySolver& operator=(EnergySolver&&) noexcept;
  ~EnergySolver();

  // Binds an unknown, an array or a sparse map to a vector, std::array or span of double, float,
  // std::int32_t or std::uint8_t (a map to std::int32_t only); temporaries do not compile. Values
  // are converted to the energy's types: for Array(float, ...), doubles are rounded to float. The
  // shape lists the extents of the dims; without a shape, the extents are deduced from the sizes of
  // arrays as far as possible (BoundArrays::read).
  template <std::ranges::contiguous_range Values>
  requires std::ranges::sized_range<Values> &&
      (std::is_lvalue_reference_v<Values> ||
       std::ranges::borrowed_range<Values>)EnergySolver& bind(std::string_view name,
                                                              Values&& values, Shape shape = {}) {
    return bind_array(name, std::span(std::ranges::data(values), std::ranges::size(values)),
                      std::move(shape));
  }
  // Binds an unknown, an array or a sparse map to an array in the memory of the GPU that the solver
  // computes on (backend cuda). The shape is always given. Kernels work on it where it is if it has
  // the type of the field (that of the precision, for a field in the precision of the solve), its
  // values are adjacent and its address is a multiple of 16; otherwise it is copied on the device
  // at each solve. A sparse map is copied to the host when it is read for the first time, and when
  // its values have changed.
  EnergySolver& bind(std::string_view name, DeviceView view, Shape shape);
  // Binds a param to its value, or a dim to its extent.
  EnergySolver& bind(std::string_view name, double number);
  // Forgets what is bound to the name, if anything is.
  EnergySolver& unbind(const std::string& name);

  // Minimizes, starting from the values of the unknowns, and stores the solution in them; after an
  // error they are unchanged, but for unknowns on a device if the device has failed. By default,
  // runs Levenberg-Marquardt until the cost settles. The first solve opens the backend and
  // compiles; a later one compiles only if the solver, linear solver, preconditioner or precision
  // changes. `callback` is called after each iteration, on this thread, sees the unknowns of then
  // in their arrays, and can stop the solve. A stop ends it within an iteration. Both keep what was
  // reached (Termination::Cancelled).
  Expected<SolverSummary> solve(const SolverOptions& options = SolverOptions::until_converged(),
                                const IterationCallback& callback = {}, std::stop_token stop = {});

  // Solve step by step: begin(), step() until it returns false, finish(). Without changes in
  // between, the result is that of solve(). Fail without effect if called in another order.
  //
  // begin() computes the cost at the start and changes no array. Each step() reads all arrays and
  // numbers as they are then, makes one nonlinear iteration and writes the unknowns into their
  // arrays. It returns true if the solve goes on, false once it has ended (core/solve/minimizer.h
  // says what an iteration is and what changed data mean for it). Only what differs from the step
  // before is copied to the backend, and nothing is compiled; other extents or sparse maps
  // are bound anew. Data in the memory of an unknown stay what they were at begin(), or when that
  // memory was bound to them later. After a fault of the data, the arrays can be corrected and the
  // step repeated. After a fault of the backend the solve is over. finish() returns the summary.
  Expected<void> begin(const SolverOptions& options = SolverOptions::until_converged(),
                       const IterationCallback& callback = {}, std::stop_token stop = {});
  Expected<bool> step();
  Expected<SolverSummary> finish();
  // True between begin() and finish().
  bool is_stepping() const;
  // Returns the cost at the current values of all arrays, between begin() and finish().
  Expected<double> current_cost();

  // Set the schedule of the next solves, by what EnergySolverOptions::schedule takes or by its
  // text. Fail without effect if it has a fault, and between begin() and finish(). The next solve
  // compiles.
  Expected<void> set_schedule(const std::string& schedule);
  Expected<void> set_schedule_text(const std::string& text);
  // Returns the schedule that a next solve with these options has, with what it is predicted to
  // cost for the current data. Opens the backend, and measures the device if it was never measured.
  Expected<ExplainedSchedule> explain(
      const SolverOptions& options = SolverOptions::until_converged());

  // Computes F, J, JᵀF and JᵀJ at the current values of the unknowns, in double, from the
  // definition of the energy. Meant for small energies and for tests, since a residual takes
  // microseconds. linearization.h defines the order of rows and columns.
  Expected<Linearization> linearize() const;
  // Computes the covariance of these elements at the current values of the unknowns, as
  // linearize() does, with a sparse factorization of JᵀJ (core/embed/covariance.h).
  Expected<Covariance> covariance(std::span<const UnknownElement> elements) const;
  // Returns the gradients by these arrays and params of a number L that is made of the solution,
  // from those of L by the unknowns, at the current values, which must be a solution
  // (core/embed/pull_back.h). Computes in double on the solver's backend; arrays on a device are
  // copied to the host.
  Expected<FieldValues> pull_back(const FieldValues& by_unknowns,
                                  const std::vector<std::string>& inputs);
  // Returns the current data, for an EnergyEvaluator, which can also say which residual a row
  // belongs to.
  Expected<Binding> binding() const;

  const Energy& energy() const;
  // Returns what the text of the energy asks of the solver.
  const SolverDefaults& defaults() const;
  // Returns what SolverOptions::set() can name.
  const SolverParts& solver_parts() const;
  // Facts about the last solve; empty before the first one. The schedule is "" for the default one.
  std::string_view backend() const;
  const std::string& schedule() const;
  // Seconds over all solves so far.
  double compile_seconds() const;
  // Returns the bytes of fields and sparse maps that were copied between the host and a device in
  // all solves so far: none in a solve whose arrays are on the device, if it is not the first one
  // with its sparse maps.
  std::int64_t bytes_moved() const;

 private:
  struct State;

  EnergySolver& bind_array(std::string_view name, ArrayView values, Shape shape);

  std::unique_ptr<State> state_;
};

}  // namespace thallo
