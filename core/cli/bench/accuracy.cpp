// thallo bench accuracy: solves problems to convergence with every linear solver and
// preconditioner, and says when each came near the optimum.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/cli/bench/bench.h"
#include "core/cli/output/progress_bar.h"
#include "core/cli/require.h"
#include "core/linear/linear_solver.h"
#include "core/problem/suit_program.h"
#include "core/solve/options.h"

namespace thallo::cli {
namespace {

constexpr std::array<double, 3> MarginsOfAccuracy = {0.01, 0.001, 1e-4};
// Factoring JtJ of a larger grid or mesh takes minutes; the optimum is then that of PCG in double.
constexpr std::int64_t MaxUnknownsOfReference = 150'000;
constexpr const char* SecondsOfReference = "300";
constexpr const char* SecondsOfRun = "20";

// A problem that is solved until its cost settles.
struct AccuracyCase : DataCase {
  // 1/2 sum r^2 at the optimum, from another solver run to convergence in double (Ceres 2.1,
  // SPARSE_SCHUR); if 0, the reference is solved for.
  double optimum = 0;
};

PropertyValue number(std::int64_t value) { return value; }

const std::vector<AccuracyCase>& accuracy_cases() {
  static const std::vector<AccuracyCase> cases = {
      {"poisson 448 x 320",
       "poisson_image_editing",
       {{"file", "opt_thallo/poisson0.png"},
        {"source", "opt_thallo/poisson1.png"},
        {"mask", "opt_thallo/poisson_mask.png"}},
       {}},
      {"poisson 2048", "poisson_image_editing", {}, {{"size", number(2048)}}},
      {"warping 512 x 512",
       "image_warping",
       {{"file", "opt_thallo/cat512.png"}},
       {{"solves", number(1)}}},
      {"warping 2048", "image_warping", {}, {{"size", number(2048)}, {"solves", number(1)}}},
      {"shading 640 x 480",
       "shape_from_shading",
       {{"file", "opt_thallo/shape_from_shading/default.SFSSolverParameters"}},
       {}},
      {"shading 2048", "shape_from_shading", {}, {{"size", number(2048)}}},
      {"flow, dogdance",
       "optical_flow",
       {{"file", "opt_thallo/dogdance0.png"}, {"second", "opt_thallo/dogdance1.png"}},
       {}},
      {"flow 2048", "optical_flow", {}, {{"size", number(2048)}}},
      {"arap, 386 vertices",
       "arap_mesh_deformation",
       {{"file", "opt_thallo/small_armadillo.ply"}},
       {{"subdivisions", number(1)}, {"solves", number(1)}}},
      {"arap, 65,612 vertices",
       "arap_mesh_deformation",
       {},
       {{"detail", number(8)}, {"solves", number(1)}}},
      {"cotangent, head", "cotangent_mesh_smoothing", {{"file", "opt_thallo/head.ply"}}, {}},
      {"bal, dubrovnik 16",
       "bundle_adjustment",
       {{"file", "bal/dubrovnik-problem-16-22106-pre.txt.bz2"}},
       {},
       1.80339035e4},
      {"bal, ladybug 49",
       "bundle_adjustment",
       {{"file", "bal/ladybug-problem-49-7776-pre.txt.bz2"}},
       {},
       1.33443184e4},
      {"bal, ladybug 49 of 1800 points",
       "bundle_adjustment",
       {{"file", "bal/ladybug-49-7776-pre-shrink-1800.txt.bz2"}},
       {},
       3.00136210e3},
      {"bal, trafalgar 21",
       "bundle_adjustment",
       {{"file", "bal/trafalgar-problem-21-11315-pre.txt.bz2"}},
       {},
       3.03786461e4},
      {"bal, generated, 10 cameras",
       "bundle_adjustment",
       {},
       {{"cameras", number(10)}, {"points", number(300)}}},
      {"bal, generated, 100 cameras",
       "bundle_adjustment",
       {},
       {{"cameras", number(100)}, {"points", number(20'000)}}},
      {"bal, generated, 1778 cameras",
       "bundle_adjustment",
       {},
       {{"cameras", number(1778)}, {"points", number(993'923)}, {"track_length", 5.0}}},
      {"pose graph, sphere2500", "pose_graph", {{"file", "pose_graphs/sphere2500.g2o.xz"}}, {}},
      {"pose graph, parking garage",
       "pose_graph",
       {{"file", "pose_graphs/parking-garage.g2o.xz"}},
       {}},
      {"pose graph, 8192 poses",
       "pose_graph",
       {},
       {{"rounds", number(128)}, {"poses_a_round", number(64)}}},
  };
  return cases;
}

// The settings of SolverOptions::until_converged() with another end.
Bench::Settings settled(const std::string& function_tolerance, const std::string& seconds) {
  const SolverOptions options = SolverOptions::until_converged();
  Bench::Settings settings;
  for (const char* name :
       {"solver", "nIterations", "lIterations", "q_tolerance", "residual_tolerance"})
    settings.emplace_back(name, options.text(name));
  settings.emplace_back("function_tolerance", function_tolerance);
  settings.emplace_back("max_solver_time_in_seconds", seconds);
  return settings;
}

// A way to solve the linear systems.
struct LinearChoice {
  std::string solver;
  std::string preconditioner;  // "" for a solver that takes a matrix
};

// `suits` says whether the case can have a program of these options.
template <class Suits>
std::vector<LinearChoice> linear_choices(const LinearSolverRegistry& solvers,
                                         std::int64_t num_unknowns, Suits suits) {
  const bool has_multigrid = suits({.preconditioner = multigrid_preconditioner()});
  std::vector<LinearChoice> choices;
  for (const auto* entry : solvers.entries()) {
    const LinearSolver& solver = *entry->item;
    if (solver.eliminates()) {
      if (suits({.preconditioner = block_jacobi_preconditioner(), .linear_solver = &solver}))
        choices.push_back({entry->name, solver.is_direct() ? "" : "block_jacobi"});
    } else if (solver.max_unknowns() < num_unknowns) {
      continue;
    } else if (!solver.is_direct()) {
      choices.push_back({entry->name, "jacobi"});
      choices.push_back({entry->name, "block_jacobi"});
      if (has_multigrid) choices.push_back({entry->name, "multigrid"});
    } else if (num_unknowns <= MaxUnknownsOfReference) {
      choices.push_back({entry->name, ""});
    }
  }
  return choices;
}

// What the solves of a case have in common.
class CaseRuns {
 public:
  CaseRuns(const Bench& bench, const AccuracyCase& wanted, Options options)
      : bench_(bench), wanted_(wanted), options_(std::move(options)) {}

  // Solves for the optimum in double: directly where JtJ can be factored. Sets num_unknowns.
  void find_optimum(Backend& reference) {
    const Bench in_double{bench_.session, reference, Precision::Double, bench_.num_threads};
    Bench::Settings settings = settled("1e-9", SecondsOfReference);
    const std::int64_t unknowns = count_unknowns(in_double);
    if (wanted_.optimum > 0) {
      optimum_ = wanted_.optimum;
      return;
    }
    is_direct_ = unknowns <= MaxUnknownsOfReference;
    if (is_direct_) {
      settings.emplace_back("linear_solver", "sparse_cholesky");
    } else {
      settings.emplace_back("linear_solver", "pcg");
      settings.emplace_back("q_tolerance", "1e-6");
    }
    optimum_ = in_double.solve(wanted_.problem, options_, settings, Precision::Double)
                   .solution.solves.front()
                   .final_cost;
  }

  Run solve(const LinearChoice& choice, const std::string& schedule) const {
    Bench::Settings settings = settled("1e-9", SecondsOfRun);
    settings.emplace_back("linear_solver", choice.solver);
    if (!choice.preconditioner.empty())
      settings.emplace_back("preconditioner", choice.preconditioner);
    return bench_.solve(wanted_.problem, options_, settings, Precision::Float, schedule);
  }

  bool suits(ProgramOptions program) const {
    const Problem& problem = bench_.session.problem(wanted_.problem);
    const Options options = require(complete_options(problem.options(), options_));
    const Energy energy = require(problem.energy(options)).energy;
    const Instance instance = require(problem.instantiate(energy, options));
    return suit_program(energy, instance.binding, {}, program).has_value();
  }
  double optimum() const { return optimum_; }
  bool is_direct() const { return is_direct_; }
  std::int64_t num_unknowns() const { return num_unknowns_; }

 private:
  // One iteration tells it.
  std::int64_t count_unknowns(const Bench& bench) {
    const Run run = bench.solve(
        wanted_.problem, options_,
        {{"nIterations", "1"}, {"lIterations", "1"}, {"linear_solver", "pcg"}}, Precision::Double);
    num_unknowns_ = run.solution.solves.front().num_unknowns;
    return num_unknowns_;
  }

  const Bench& bench_;
  const AccuracyCase& wanted_;
  Options options_;
  double optimum_ = 0;
  bool is_direct_ = true;
  std::int64_t num_unknowns_ = 0;
};

// What it took until the cost was within the margin of the optimum; empty if it never was.
struct Reached {
  DataTable::Cell seconds, linear_iterations;
};
Reached when_within(const SolverSummary& summary, double optimum, double margin) {
  std::int64_t linear_iterations = 0;
  for (const IterationRecord& record : summary.iterations) {
    linear_iterations += record.linear_iterations;
    if (record.cost <= optimum * (1 + margin) && (record.accepted || record.iteration == 0))
      return {record.total_seconds, linear_iterations};
  }
  return {};
}

}  // namespace

DataTable bench_accuracy(const Bench& bench) {
  check_wanted(bench, accuracy_cases());
  DataTable table("accuracy", "Time to the answer",
                  {{"case", "case"},
                   {"unknowns", "unknowns"},
                   {"linear_solver", "linear solver"},
                   {"preconditioner", "preconditioner"},
                   {"schedule", "schedule"},
                   {"iterations", "iterations"},
                   {"above_optimum_percent", "above optimum, %", "{:.4f}"},
                   {"seconds_to_1", "s to 1 %", "{:.5f}"},
                   {"linear_to_1", "linear"},
                   {"seconds_to_01", "s to 0.1 %", "{:.5f}"},
                   {"linear_to_01", "linear"},
                   {"seconds_to_001", "s to 0.01 %", "{:.5f}"},
                   {"linear_to_001", "linear"},
                   {"seconds", "s in all", "{:.4f}"}});
  const std::unique_ptr<Backend> cpu = bench.session.backend("cpu");
  ProgressBar bar("accuracy", static_cast<std::int64_t>(accuracy_cases().size()));
  std::int64_t num_done = 0, num_left_out = 0, num_without_factor = 0;
  for (const AccuracyCase& wanted : accuracy_cases()) {
    if (!bench.is_wanted(wanted.name)) continue;
    auto options = find_options(wanted);
    if (!options) {
      ++num_left_out;
      continue;
    }
    bar.update(num_done, fmt::format("{}, the optimum", wanted.name));
    CaseRuns runs(bench, wanted, *std::move(options));
    runs.find_optimum(*cpu);
    if (!runs.is_direct()) ++num_without_factor;
    const auto suits = [&](const ProgramOptions& program) { return runs.suits(program); };
    for (const LinearChoice& choice :
         linear_choices(*bench.session.solver_parts().linear_solvers, runs.num_unknowns(), suits)) {
      for (const std::string schedule : {"auto", "default"}) {
        bar.update(num_done, fmt::format("{}, {} {}, {}", wanted.name, choice.solver,
                                         choice.preconditioner, schedule));
        const Run run = runs.solve(choice, schedule);
        const SolverSummary& s = run.solution.solves.front();
        std::vector<DataTable::Cell> row = {
            wanted.name, runs.num_unknowns(), choice.solver, choice.preconditioner, schedule,
            std::int64_t{s.num_iterations},
            // Rounding tells apart what the column cannot show, and leaves no negative zero.
            std::round(1e6 * (s.final_cost / runs.optimum() - 1)) / 1e4 + 0.0};
        for (const double margin : MarginsOfAccuracy) {
          const Reached reached = when_within(s, runs.optimum(), margin);
          row.push_back(reached.seconds);
          row.push_back(reached.linear_iterations);
        }
        row.emplace_back(s.seconds.total);
        table.add(std::move(row));
      }
    }
    ++num_done;
  }
  table.note(fmt::format(
      "The first solve of each problem, Levenberg-Marquardt until the cost settles to 1e-9 or {} s "
      "have passed, on {}, without compiling and copying in. The optimum is that of a direct solve "
      "in double on the CPU, or for BAL that of Ceres.",
      SecondsOfRun, bench.backend.device().name));
  if (num_without_factor > 0)
    table.note(
        fmt::format("{} cases have more than {} unknowns: their optimum is that of pcg in "
                    "double.",
                    num_without_factor, MaxUnknownsOfReference));
  if (num_left_out > 0)
    table.note(
        fmt::format("{} cases were left out: THALLO_DATA_DIR has not their files.", num_left_out));
  return table;
}

}  // namespace thallo::cli
