#include "core/linear/linear_solver.h"

#include <algorithm>
#include <cmath>
#include <string>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/linear/own_solvers.h"

namespace thallo {
namespace {

// Up to this number of unknowns, one thread block of a GPU can solve the system, and a host solves
// it in microseconds.
constexpr std::int64_t FewUnknowns = 64;

// Bundle adjustment: 14, 20 and 60 iterations a step where the full system takes 25, 41 and 131.
constexpr double IterationsLeftByElimination = 0.5;

LinearOutlook iterating(const LinearCase& the_case, const IteratedSteps& steps) {
  const double most = the_case.max_linear_iterations();
  return {.reason = fmt::format("about {:.0f} linear iterations a step", steps.linear_iterations),
          .steps = steps.steps * std::max(1.0, steps.linear_iterations / most),
          .linear_iterations = std::min(steps.linear_iterations, most)};
}

Expected<void> check_damped(const LinearCase& the_case) {
  if (the_case.is_damped()) return {};
  return fail("Gauss-Newton does not damp, and pcg copes with a singular JtJ");
}

// Elimination pays where it takes most of the unknowns.
Expected<EliminatedUnknowns> worth_eliminating(const LinearCase& the_case,
                                               const LinearSolver& solver) {
  if (auto damped = check_damped(the_case); !damped) return fail(damped.error());
  auto unknowns = the_case.elimination(solver);
  if (unknowns && unknowns->eliminated < unknowns->kept) {
    return fail("{} unknowns, those over the dims of '{}', can be eliminated, and {} are kept",
                unknowns->eliminated, unknowns->space, unknowns->kept);
  }
  return unknowns;
}

std::string text(const EliminatedUnknowns& unknowns, const LinearCase& the_case) {
  return fmt::format("{} of {} unknowns can be eliminated, those over the dims of '{}'",
                     unknowns.eliminated, the_case.num_unknowns(), unknowns.space);
}

class Pcg final : public LinearSolver {
 public:
  std::string_view name() const override { return "pcg"; }
  std::string_view doc() const override { return "preconditioned conjugate gradients"; }
  MatrixForm form() const override { return MatrixForm::None; }
  Expected<LinearOutlook> outlook(const LinearCase& the_case) const override {
    return iterating(the_case, the_case.iterated());
  }
};

class SchurPcg final : public LinearSolver {
 public:
  std::string_view name() const override { return "schur_pcg"; }
  std::string_view doc() const override {
    return "pcg on what is left once unknowns are eliminated, for bundle adjustment";
  }
  MatrixForm form() const override { return MatrixForm::None; }
  bool eliminates() const override { return true; }
  Expected<LinearOutlook> outlook(const LinearCase& the_case) const override {
    THALLO_TRY(const auto worth, worth_eliminating(the_case, *this));
    IteratedSteps steps = the_case.iterated();
    steps.linear_iterations *= IterationsLeftByElimination;
    LinearOutlook outlook = iterating(the_case, steps);
    outlook.reason = text(worth, the_case);
    return outlook;
  }
};

class Dense final : public LinearSolver {
 public:
  std::string_view name() const override { return "dense"; }
  std::string_view doc() const override { return "JtJ as a full matrix, for few unknowns"; }
  MatrixForm form() const override { return MatrixForm::Dense; }
  std::int64_t max_unknowns() const override { return MaxDenseUnknowns; }
  Expected<LinearOutlook> outlook(const LinearCase& the_case) const override {
    if (auto damped = check_damped(the_case); !damped) return fail(damped.error());
    const std::int64_t n = the_case.num_unknowns();
    if (n > FewUnknowns) return fail("{} unknowns are more than {}", n, FewUnknowns);
    if (auto formed = the_case.check_matrix(); !formed) return fail(formed.error());
    return LinearOutlook{.reason = fmt::format("{} unknowns are few", n), .settles = true};
  }
  std::unique_ptr<Factorization> analyze(const MatrixPattern& pattern) const override {
    return make_dense_cholesky(pattern);
  }
};

class SchurCholesky final : public LinearSolver {
 public:
  std::string_view name() const override { return "schur_cholesky"; }
  std::string_view doc() const override {
    return "a full matrix of what is left once unknowns are eliminated, for few cameras";
  }
  MatrixForm form() const override { return MatrixForm::Dense; }
  bool eliminates() const override { return true; }
  std::int64_t max_unknowns() const override { return MaxKeptUnknowns; }
  Expected<LinearOutlook> outlook(const LinearCase& the_case) const override {
    THALLO_TRY(const auto worth, worth_eliminating(the_case, *this));
    return LinearOutlook{.reason = fmt::format("{}, and the {} others are few enough to factor",
                                               text(worth, the_case), worth.kept)};
  }
  std::unique_ptr<Factorization> analyze(const MatrixPattern& pattern) const override {
    return make_dense_cholesky(pattern);
  }
};

class SparseCholesky : public LinearSolver {
 public:
  std::string_view name() const override { return "sparse_cholesky"; }
  std::string_view doc() const override {
    return "JtJ as a sparse matrix, factored on the host, for graphs whose factor stays sparse";
  }
  MatrixForm form() const override { return MatrixForm::Csr; }
  std::unique_ptr<Factorization> analyze(const MatrixPattern& pattern) const override {
    return make_sparse_cholesky(pattern);
  }
  double expected_seconds(const FactorSize& size) const override;
};

class SchurSparseCholesky final : public SparseCholesky {
 public:
  std::string_view name() const override { return "schur_sparse_cholesky"; }
  std::string_view doc() const override {
    return "the same of what is left once unknowns are eliminated, for many cameras of which each "
           "shares points with few";
  }
  bool eliminates() const override { return true; }
};

// Fitted to a factorization and a solve on one core of an x86-64 machine: within 25 % for factors
// of 3e4 to 2e7 entries and 12 to 410 flops an entry (docs/measurements.md has them). An up-looking
// factorization finds each entry of a row by a walk of the elimination tree, and adds a column of
// the factor to it.
constexpr double SecondsPerEntry = 6.5e-9;
constexpr double SecondsPerFlop = 1 / 5.1e9;
// The columns that a row needs are the longer, and the more, the more flops an entry takes: they
// grow with its square, and leave one cache after the other. From so many flops an entry on, they
// are awaited for as long as they are computed with.
constexpr double FlopsPerEntryOutsideCaches = 520;

double SparseCholesky::expected_seconds(const FactorSize& size) const {
  if (size.entries == 0) return 0;
  const double outside = size.flops / size.entries / FlopsPerEntryOutsideCaches;
  return size.entries * SecondsPerEntry + size.flops * SecondsPerFlop * (1 + outside * outside);
}

template <class Solver>
void add(LinearSolverRegistry& registry) {
  auto solver = std::make_unique<Solver>();
  const std::string name(solver->name());
  const auto added = registry.add(name, std::move(solver), "thallo");
  THALLO_ASSERT(added.has_value(), "the linear solver {} is there twice", name);
}

}  // namespace

std::unique_ptr<Factorization> LinearSolver::analyze(const MatrixPattern& /*pattern*/) const {
  throw InternalError(fmt::format("the linear solver {} factors no matrix", name()), __FILE__,
                      __LINE__);
}

Expected<LinearOutlook> LinearSolver::outlook(const LinearCase& the_case) const {
  if (form() != MatrixForm::Csr) return fail("it is used only if it is named");
  if (auto damped = check_damped(the_case); !damped) return fail(damped.error());
  std::string_view matrix = "JtJ";
  std::string eliminated;
  double rows = static_cast<double>(the_case.num_unknowns());
  if (eliminates()) {
    THALLO_TRY(const auto worth, worth_eliminating(the_case, *this));
    if (worth.kept <= FewUnknowns)
      return fail("{} unknowns are few enough for a full matrix", worth.kept);
    matrix = "S";
    eliminated = text(worth, the_case) + ", and with the Schur complement S of the others ";
    rows = static_cast<double>(worth.kept);
  }
  THALLO_TRY(const auto size, eliminates() ? the_case.kept_factor(*this) : the_case.factor());
  const double seconds = expected_seconds(size);
  if (std::isinf(seconds)) return fail("it is used only if it is named");
  return LinearOutlook{
      .reason = fmt::format("{0}the factor of {1} has {2:.2g} entries, {3:.1f} times as many as "
                            "the triangle of {1}, and takes {4:.1e} flops",
                            eliminated, matrix, size.entries,
                            size.entries / ((size.matrix_entries + rows) / 2), size.flops),
      .host_seconds = seconds};
}

const LinearSolver* pcg_solver() { return own_linear_solvers().find("pcg"); }
const LinearSolver* schur_pcg_solver() { return own_linear_solvers().find("schur_pcg"); }
const LinearSolver* dense_solver() { return own_linear_solvers().find("dense"); }
const LinearSolver* schur_cholesky_solver() { return own_linear_solvers().find("schur_cholesky"); }
const LinearSolver* sparse_cholesky_solver() {
  return own_linear_solvers().find("sparse_cholesky");
}

void add_linear_solvers(LinearSolverRegistry& registry) {
  add<Pcg>(registry);
  add<SchurPcg>(registry);
  add<Dense>(registry);
  add<SchurCholesky>(registry);
  add<SchurSparseCholesky>(registry);
  add<SparseCholesky>(registry);
}

const LinearSolverRegistry& own_linear_solvers() {
  static const LinearSolverRegistry registry = [] {
    LinearSolverRegistry own("linear solver");
    add_linear_solvers(own);
    return own;
  }();
  return registry;
}

}  // namespace thallo
