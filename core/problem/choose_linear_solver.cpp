#include "core/problem/choose_linear_solver.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/base/stop_scope.h"
#include "core/cost/pricing/plan_pricer.h"
#include "core/problem/choose_schedule.h"
#include "core/problem/instance_case.h"
#include "core/problem/suit_program.h"
#include "core/schedule/gather.h"

namespace thallo {
namespace {

// The nonlinear steps of a solve with exact solutions: 4 to 33 in bundle adjustment, 6 to 26 on
// pose graphs. They count only beside what is done once.
constexpr double StepsOfExactSolutions = 10;

// What a linear iteration takes for each unknown where nothing is priced: that is, where pricing
// itself would take long. About ten entries of JtJ are read.
constexpr double SecondsOfUnknown = 1e-8;
// So many times of it where a preconditioner has steps of its own: a cycle of multigrid takes as
// long as 7 iterations on an H200 and 12 on a host.
constexpr double IterationsOfSteps = 10;

// Less than a kernel takes on any device.
constexpr double LeastSecondsOfLinearIteration = 2e-6;

// What a solver takes on the host of a GPU, in what it expects to take on a host: the matrix
// crosses, and the cores of servers are slower. 2.5 to 4 on the host of an H200, for both Cholesky
// factorizations (docs/measurements.md).
constexpr double HostOfAGpu = 3;

// What a cycle of multigrid waits for on a GPU at each halving of the grid, which prices leave out:
// barriers of all blocks, and memory after them. 120 microseconds for 512 x 512.
constexpr double SecondsOfLevel = 1.2e-5;

struct Candidate {
  const LinearSolver* solver = nullptr;
  std::string preconditioner;  // "" for the one by default
  SolverOptions options;       // name both
  ProgramOptions program;
  LinearOutlook outlook;
  double seconds = 0;     // to the answer
  bool is_bound = false;  // True if it takes more than these seconds.

  std::string name() const {
    if (solver->is_direct() || solver->eliminates()) return options.linear_solver;
    return fmt::format("{} with {}", options.linear_solver, program.preconditioner->name());
  }
};

class Chooser {
 public:
  explicit Chooser(const LinearSolverQuestion& question)
      : question_(question),
        case_(question.energy, question.binding, question.options, question.rows,
              question.memory_limit),
        is_pcg_(question.options.linear_solver.empty() && question.options.names_pcg()) {}

  LinearSolverChoice choose() {
    for (const auto* entry : question_.parts.linear_solvers->entries()) {
      const LinearSolver& solver = *entry->item;
      if (is_pcg_ && solver.name() != pcg_solver()->name()) continue;
      for (const std::string& preconditioner : preconditioners_of(solver))
        consider(solver, preconditioner);
    }
    THALLO_ASSERT(!candidates_.empty(), "pcg suits whatever there is");
    const auto settles = [](const Candidate& candidate) { return candidate.outlook.settles; };
    if (const auto one = std::ranges::find_if(candidates_, settles); one != candidates_.end())
      candidates_ = {Candidate(*one)};
    if (candidates_.size() > 1) compare();
    const auto best = std::ranges::min_element(candidates_, {}, &Candidate::seconds);
    return {.solver = best->solver,
            .preconditioner = best->preconditioner,
            .reason = reason_for(*best),
            .linear_iterations = best->outlook.linear_iterations,
            .outgrows_float = case_.outgrows_float(*best->solver)};
  }

 private:
  SolverOptions options_with(const LinearSolver& solver, const std::string& preconditioner) const {
    SolverOptions options = question_.options;
    options.linear_solver = solver.name();
    if (!preconditioner.empty()) options.preconditioner = preconditioner;
    return options;
  }

  // The one by default, and others where nobody has named one and the number of linear iterations
  // is not fixed: a better one ends them earlier.
  std::vector<std::string> preconditioners_of(const LinearSolver& solver) const {
    std::vector<std::string> names = {""};
    const SolverOptions options = options_with(solver, {});
    const std::string_view by_default = question_.program(options).preconditioner->name();
    if (solver.is_direct() || !options.preconditioner.empty() || !options.pcg_has_test())
      return names;
    for (const auto* entry : question_.parts.preconditioners->entries()) {
      const Preconditioner& preconditioner = *entry->item;
      if (entry->name != by_default && preconditioner.check_solver(solver) &&
          preconditioner.check_energy(question_.energy) &&
          preconditioner.expected_iterations(case_) < case_.diagonal_iterations())
        names.push_back(entry->name);
    }
    return names;
  }

  void consider(const LinearSolver& solver, const std::string& preconditioner) {
    Candidate candidate{.solver = &solver,
                        .preconditioner = preconditioner,
                        .options = options_with(solver, preconditioner)};
    candidate.program = question_.program(candidate.options);
    auto suits =
        suit_program(question_.energy, question_.binding, candidate.options, candidate.program);
    const std::string& asked = candidate.options.preconditioner;
    const Preconditioner& had = *candidate.program.preconditioner;
    if (solver.eliminates() && !asked.empty() && asked != had.name())
      suits = fail("it has no preconditioner but {}", had.name());
    case_.ask_about(candidate.program.preconditioner);
    auto outlook = suits ? outlook_of(solver) : fail(suits.error());
    if (outlook) {
      candidate.outlook = *std::move(outlook);
      if (candidate.program.precision == Precision::Mixed && case_.outgrows_float(solver))
        candidate.program.precision = Precision::Double;
      candidates_.push_back(std::move(candidate));
      return;
    }
    const std::string why = outlook.error().message();
    logger("solve").debug("linear_solver {} does not suit: {}", candidate.name(), why);
    const bool is_batch = question_.energy.members().valid();
    if (solver.form() == MatrixForm::Csr && !is_batch) why_no_factor_ = why;
  }

  // Kernels that factor small members leave nothing to iterate for.
  Expected<LinearOutlook> outlook_of(const LinearSolver& solver) {
    if (!question_.energy.members().valid() || !solver.is_direct()) return solver.outlook(case_);
    return LinearOutlook{.reason = "a member of the batch has few unknowns", .settles = true};
  }

  void compare() {
    try {
      if (weighs_schedules(question_.energy)) {
        if (const auto device = question_.device()) return price(*device);
      }
    } catch (const OutOfSteps&) {
    }
    const double iteration = SecondsOfUnknown * static_cast<double>(case_.num_unknowns());
    for (Candidate& candidate : candidates_) {
      const bool has_steps = candidate.program.preconditioner->form() == InverseForm::Steps;
      candidate.seconds = in_all(candidate, candidate.outlook.linear_iterations * iteration *
                                                (has_steps ? IterationsOfSteps : 1));
    }
  }

  // Those that may be the quickest come first, so that few are priced.
  void price(const DeviceSpec& device) {
    const std::map<MapId, MapStatistics> maps = map_statistics(question_.energy, question_.binding);
    for (Candidate& candidate : candidates_) {
      if (device.backend == "cuda") candidate.outlook.host_seconds *= HostOfAGpu;
      candidate.seconds =
          in_all(candidate, candidate.outlook.linear_iterations * LeastSecondsOfLinearIteration);
    }
    std::ranges::sort(candidates_, {}, &Candidate::seconds);
    double least = std::numeric_limits<double>::infinity();
    for (Candidate& candidate : candidates_) {
      candidate.is_bound = candidate.seconds > least;
      if (candidate.is_bound) continue;
      const PriceOptions options{
          .program = candidate.program,
          .counts = {.linear_iterations = candidate.outlook.linear_iterations,
                     .reset_period = candidate.program.resets_residual()
                                         ? question_.options.residual_reset_period
                                         : 0.0},
          .model = &question_.model};
      const PlanPricer pricer(question_.energy, question_.binding, maps, options, device);
      // A stored J stands for what the schedule gains that is chosen later.
      std::vector<Plan> plans = {candidate.program.is_deterministic
                                     ? gathered_plan(question_.energy)
                                     : default_plan(question_.energy)};
      if (!candidate.solver->is_direct()) {
        plans.push_back(plans.front());
        for (Part& part : plans.back().parts) part.strategy = Strategy::StoredJ;
      }
      const bool is_gpu = device.backend == "cuda";
      const bool has_steps = candidate.program.preconditioner->form() == InverseForm::Steps;
      // Kernels of a host skip elements that are excluded, the steps of preconditioners do not.
      const double share = is_gpu || has_steps ? 1 : question_.rows.free;
      const double waiting =
          is_gpu && has_steps ? candidate.outlook.linear_iterations * seconds_of_levels() : 0;
      candidate.seconds = std::numeric_limits<double>::infinity();
      for (const Plan& plan : plans) {
        const StepLimit limit(MostWeighingSteps);
        const double step = pricer.price(plan).prediction.nonlinear_iteration;
        candidate.seconds = std::min(candidate.seconds, in_all(candidate, share * step + waiting));
      }
      least = std::min(least, candidate.seconds);
      logger("solve").debug(
          "linear_solver {}: {:.3g} s with {:.2g} times the steps of exact "
          "solutions, and {:.3g} linear iterations a step",
          candidate.name(), candidate.seconds, candidate.outlook.steps,
          candidate.outlook.linear_iterations);
    }
  }

  double seconds_of_levels() const {
    const std::int64_t longest = std::ranges::max(question_.binding.extents());
    return SecondsOfLevel * std::log2(static_cast<double>(std::max<std::int64_t>(longest, 1)));
  }

  // Returns the seconds to the answer if the program takes so many for a step.
  static double in_all(const Candidate& candidate, double program_seconds) {
    const LinearOutlook& outlook = candidate.outlook;
    return StepsOfExactSolutions * outlook.steps * (program_seconds + outlook.host_seconds);
  }

  std::string reason_for(const Candidate& best) const {
    if (candidates_.size() == 1) {
      if (is_pcg_) return "options of pcg are set and no linear solver is";
      return best.outlook.settles || why_no_factor_.empty() ? best.outlook.reason : why_no_factor_;
    }
    std::string reason =
        fmt::format("{}{}, about {:.2g} s in all",
                    best.preconditioner.empty() ? "" : "with " + best.preconditioner + " ",
                    best.outlook.reason, best.seconds);
    std::vector<const Candidate*> others;
    for (const Candidate& other : candidates_)
      if (&other != &best) others.push_back(&other);
    std::ranges::sort(others, {}, &Candidate::seconds);
    for (const Candidate* other : others) {
      reason += fmt::format("{} {}{:.2g} s by {}", other == others.front() ? ", beside" : ",",
                            other->is_bound ? "more than " : "", other->seconds, other->name());
    }
    return reason;
  }

  const LinearSolverQuestion& question_;
  InstanceCase case_;
  bool is_pcg_;
  std::vector<Candidate> candidates_;
  std::string why_no_factor_;
};

}  // namespace

LinearSolverChoice choose_linear_solver(const LinearSolverQuestion& question) {
  THALLO_ASSERT(question.options.chooses_linear_solver());
  return Chooser(question).choose();
}

}  // namespace thallo
