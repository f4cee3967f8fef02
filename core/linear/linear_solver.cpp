#include "core/linear/linear_solver.h"

#include <string>

#include "core/base/error.h"
#include "core/linear/own_solvers.h"

namespace thallo {
namespace {

class Pcg final : public LinearSolver {
 public:
  std::string_view name() const override { return "pcg"; }
  std::string_view doc() const override { return "preconditioned conjugate gradients"; }
  MatrixForm form() const override { return MatrixForm::None; }
  std::unique_ptr<Factorization> analyze(const MatrixPattern&) const override {
    THALLO_UNREACHABLE();
  }
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
  // An up-looking factorization has no dense blocks: its flops wait for entries to be found.
  double expected_seconds(const FactorSize& size) const override { return size.flops / 1e9; }
};

template <class Solver>
void add(LinearSolverRegistry& registry) {
  auto solver = std::make_unique<Solver>();
  const std::string name(solver->name());
  const auto added = registry.add(name, std::move(solver), "thallo");
  THALLO_ASSERT(added.has_value(), "the linear solver {} is there twice", name);
}

}  // namespace

const LinearSolver* pcg_solver() { return own_linear_solvers().find("pcg"); }
const LinearSolver* dense_solver() { return own_linear_solvers().find("dense"); }
const LinearSolver* sparse_cholesky_solver() {
  return own_linear_solvers().find("sparse_cholesky");
}

void add_linear_solvers(LinearSolverRegistry& registry) {
  add<Pcg>(registry);
  add<Dense>(registry);
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
