// The linear solver 'supernodal_cholesky': CHOLMOD's supernodal LL^T, for graphs and meshes whose
// factor fills in. Columns of the factor with the same rows are kept as dense blocks, which BLAS
// and LAPACK multiply and factor. An up-looking factorization (core/linear/sparse_cholesky.cpp)
// processes the entries one by one instead.
//
// CHOLMOD's Supernodal module is under the GPL, so this plugin is built only with
// THALLO_WITH_CHOLMOD.
#include <cholmod.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <mutex>
#include <new>
#include <span>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/linear/linear_solver.h"
#include "core/linear/symbolic_factor.h"
#include "core/plugin/abi.h"

// Functions of the OpenMP runtime and of the BLAS that CHOLMOD loaded; null if they lack them. The
// machine determines at program start which BLAS is used.
extern "C" {
[[gnu::weak]] int omp_get_max_active_levels();
[[gnu::weak]] void omp_set_max_active_levels(int levels);
[[gnu::weak]] int openblas_get_num_threads();
[[gnu::weak]] void openblas_set_num_threads(int num_threads);
}

namespace thallo {
namespace {

// The setting applies to the whole process, so concurrent solves share it: the first sets it to one
// thread, and the last restores it.
class SharedSetting {
 public:
  void hold() {
    const std::scoped_lock lock(mutex_);
    if (num_holders_++ > 0) return;
    before_ = openblas_get_num_threads();
    openblas_set_num_threads(1);
  }
  void release() {
    const std::scoped_lock lock(mutex_);
    if (--num_holders_ == 0) openblas_set_num_threads(before_);
  }

 private:
  std::mutex mutex_;
  int num_holders_ = 0;
  int before_ = 0;
};

SharedSetting& openblas_threads() {
  static SharedSetting setting;
  return setting;
}

bool has_openmp() {
  return omp_get_max_active_levels != nullptr && omp_set_max_active_levels != nullptr;
}
bool has_openblas() {
  return openblas_get_num_threads != nullptr && openblas_set_num_threads != nullptr;
}

// While an object exists, OpenMP loops of this thread run on it alone, and OpenBLAS, whose number
// of threads applies to the whole process, uses one thread. Afterwards, both are as before. So a
// solve takes no cores from the threads of the backend or of the program that embeds Thallo, and
// sums in the same order on every machine.
class OneThread {
 public:
  // If no level of parallel regions is active, each region has one thread.
  OneThread() {
    if (has_openmp()) {
      openmp_levels_ = omp_get_max_active_levels();
      omp_set_max_active_levels(0);
    }
    if (has_openblas()) openblas_threads().hold();
  }
  ~OneThread() {
    if (has_openblas()) openblas_threads().release();
    if (has_openmp()) omp_set_max_active_levels(openmp_levels_);
  }
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;

 private:
  int openmp_levels_ = 0;
};

class SupernodalCholesky final : public Factorization {
 public:
  explicit SupernodalCholesky(const MatrixPattern& pattern) : pattern_(pattern) {
    cholmod_start(&common_);
    common_.print = 0;  // prints neither progress nor errors
    common_.supernodal = CHOLMOD_SUPERNODAL;
    common_.quick_return_if_not_posdef = 1;
  }
  SupernodalCholesky(const SupernodalCholesky&) = delete;
  SupernodalCholesky& operator=(const SupernodalCholesky&) = delete;
  ~SupernodalCholesky() override {
    cholmod_free_dense(&solution_, &common_);
    cholmod_free_dense(&work_, &common_);
    cholmod_free_dense(&more_work_, &common_);
    cholmod_free_factor(&factor_, &common_);
    cholmod_finish(&common_);
  }

  // Must be called first. Uses the same order for which the factor was counted when the solver was
  // chosen.
  void analyze() {
    common_.nmethods = 1;
    common_.method[0].ordering = CHOLMOD_GIVEN;
    std::vector<std::int32_t> order = SymbolicFactor(pattern_).order();
    cholmod_sparse matrix = view({});
    factor_ = cholmod_analyze_p(&matrix, order.data(), nullptr, 0, &common_);
    check("cholmod_analyze_p");
  }

  bool factorize(std::span<const double> values) override {
    const OneThread one_thread;
    cholmod_sparse matrix = view(values);
    cholmod_factorize(&matrix, factor_, &common_);
    check("cholmod_factorize");
    return common_.status == CHOLMOD_OK;
  }

  void solve(std::span<double> x) override {
    const OneThread one_thread;
    cholmod_dense right{};
    right.nrow = right.nzmax = right.d = x.size();
    right.ncol = 1;
    right.x = x.data();
    right.xtype = CHOLMOD_REAL;
    right.dtype = CHOLMOD_DOUBLE;
    cholmod_solve2(CHOLMOD_A, factor_, &right, nullptr, &solution_, nullptr, &work_, &more_work_,
                   &common_);
    check("cholmod_solve2");
    std::copy_n(static_cast<const double*>(solution_->x), x.size(), x.begin());
  }

 private:
  // The rows of a symmetric matrix are its columns. CHOLMOD reads the upper triangle and writes
  // nothing.
  cholmod_sparse view(std::span<const double> values) const {
    cholmod_sparse matrix{};
    matrix.nrow = matrix.ncol = static_cast<std::size_t>(pattern_.n);
    matrix.nzmax = pattern_.columns.size();
    matrix.p = const_cast<std::int32_t*>(pattern_.offsets.data());
    matrix.i = const_cast<std::int32_t*>(pattern_.columns.data());
    matrix.x = const_cast<double*>(values.data());
    matrix.stype = 1;
    matrix.itype = CHOLMOD_INT;
    matrix.xtype = values.empty() ? CHOLMOD_PATTERN : CHOLMOD_REAL;
    matrix.dtype = CHOLMOD_DOUBLE;
    matrix.sorted = matrix.packed = 1;
    return matrix;
  }

  // CHOLMOD reports a matrix that is not positive definite as a warning, above CHOLMOD_OK.
  void check(const char* call) const {
    if (common_.status == CHOLMOD_OUT_OF_MEMORY) throw std::bad_alloc();
    if (common_.status < CHOLMOD_OK) throw DeviceError(call, fmt::format("{}", common_.status));
  }

  MatrixPattern pattern_;
  cholmod_common common_{};
  cholmod_factor* factor_ = nullptr;
  cholmod_dense* solution_ = nullptr;  // reused from solve to solve, like the others
  cholmod_dense* work_ = nullptr;
  cholmod_dense* more_work_ = nullptr;
};

// Besides its flops, each entry of the factor is moved: it is computed in the product of two blocks
// and added to its place in a third, which is found by indices. This is memory traffic, the same
// under every BLAS. With few flops per entry, in blocks of a few columns, an up-looking
// factorization is faster; CHOLMOD itself switches to blocks at 40 flops per entry (Chen et al.,
// Algorithm 887, ACM TOMS 35:3). The assumed flop rate is between that of the reference BLAS (7e9)
// and that of ATLAS (17e9), on one core. So this solver is chosen from about 170 flops per entry
// on.
constexpr double SecondsPerEntry = 20e-9;
constexpr double FlopsPerSecond = 1e10;

class SupernodalCholeskySolver final : public LinearSolver {
 public:
  std::string_view name() const override { return "supernodal_cholesky"; }
  std::string_view doc() const override {
    return "JtJ as a sparse matrix, factored on the host in dense blocks by CHOLMOD, for graphs "
           "whose factor fills in";
  }
  MatrixForm form() const override { return MatrixForm::Csr; }
  std::unique_ptr<Factorization> analyze(const MatrixPattern& pattern) const override {
    auto factorization = std::make_unique<SupernodalCholesky>(pattern);
    factorization->analyze();
    return factorization;
  }
  double expected_seconds(const FactorSize& size) const override {
    return size.entries * SecondsPerEntry + size.flops / FlopsPerSecond;
  }
};

Expected<void> register_into(Registrar& registrar) {
  return registrar.add<LinearSolver>("supernodal_cholesky",
                                     std::make_unique<SupernodalCholeskySolver>());
}

}  // namespace
}  // namespace thallo

THALLO_PLUGIN("supernodal_cholesky", "1.0.0", "", thallo::register_into);
