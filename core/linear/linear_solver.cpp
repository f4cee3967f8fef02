#include "core/linear/linear_solver.h"

#include <string>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/linear/own_solvers.h"

namespace thallo {
namespace {

class Pcg final : public LinearSolver {
 public:
  std::string_view name() const override { return "pcg"; }
  std::string_view doc() const override { return "preconditioned conjugate gradients"; }
  MatrixForm form() const override { return MatrixForm::None; }
};

class SchurPcg final : public LinearSolver {
 public:
  std::string_view name() const override { return "schur_pcg"; }
  std::string_view doc() const override {
    return "pcg on what is left once unknowns are eliminated, for bundle adjustment";
  }
  MatrixForm form() const override { return MatrixForm::None; }
  bool eliminates() const override { return true; }
};

class Dense final : public LinearSolver {
 public:
  std::string_view name() const override { return "dense"; }
  std::string_view doc() const override { return "JtJ as a full matrix, for few unknowns"; }
  MatrixForm form() const override { return MatrixForm::Dense; }
  std::int64_t max_unknowns() const override { return MaxDenseUnknowns; }
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
  std::unique_ptr<Factorization> analyze(const MatrixPattern& pattern) const override {
    return make_dense_cholesky(pattern);
  }
};

class SparseCholesky final : public LinearSolver {
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

class AmgPcg final : public LinearSolver {
 public:
  std::string_view name() const override { return "amg_pcg"; }
  std::string_view doc() const override {
    return "pcg on JtJ as a sparse matrix, with smoothed aggregation (algebraic multigrid) on the "
           "host, for large graphs of poses";
  }
  MatrixForm form() const override { return MatrixForm::Csr; }
  bool takes_modes() const override { return true; }
  std::unique_ptr<Factorization> analyze(const MatrixPattern& pattern) const override {
    return make_amg_pcg(pattern);
  }
  double expected_seconds(const FactorSize& size) const override;
};

// Fitted to one core of an x86-64 machine: within 15 % for factors of 3e4 to 2e7 entries and 12 to
// 940 flops an entry (docs/measurements.md has them). An up-looking factorization finds each entry
// of a row by a walk of the elimination tree, and adds a column of the factor to it.
constexpr double SecondsPerEntry = 4e-9;
constexpr double SecondsPerFlop = 1 / 5.2e9;
// The columns that a row needs are the longer, and the more, the more flops an entry takes: they
// grow with its square, and leave one cache after the other. From so many flops an entry on, they
// are awaited for as long as they are computed with.
constexpr double FlopsPerEntryOutsideCaches = 900;

double SparseCholesky::expected_seconds(const FactorSize& size) const {
  if (size.entries == 0) return 0;
  const double outside = size.flops / size.entries / FlopsPerEntryOutsideCaches;
  return size.entries * SecondsPerEntry + size.flops * SecondsPerFlop * (1 + outside * outside);
}

// 0.15 to 0.2 us on pose graphs, beside the seconds that sparse_cholesky expects of them
// (docs/measurements.md).
constexpr double SecondsPerMatrixEntry = 2e-7;

double AmgPcg::expected_seconds(const FactorSize& size) const {
  return size.matrix_entries * SecondsPerMatrixEntry;
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

const LinearSolver* pcg_solver() { return own_linear_solvers().find("pcg"); }
const LinearSolver* schur_pcg_solver() { return own_linear_solvers().find("schur_pcg"); }
const LinearSolver* dense_solver() { return own_linear_solvers().find("dense"); }
const LinearSolver* schur_cholesky_solver() { return own_linear_solvers().find("schur_cholesky"); }
const LinearSolver* sparse_cholesky_solver() {
  return own_linear_solvers().find("sparse_cholesky");
}
const LinearSolver* amg_pcg_solver() { return own_linear_solvers().find("amg_pcg"); }

void add_linear_solvers(LinearSolverRegistry& registry) {
  add<Pcg>(registry);
  add<SchurPcg>(registry);
  add<Dense>(registry);
  add<SchurCholesky>(registry);
  add<SparseCholesky>(registry);
  add<AmgPcg>(registry);
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
