// The linear solvers 'multifrontal_cholesky' and 'schur_multifrontal_cholesky': MUMPS, for graphs,
// meshes and Schur complements whose factor fills in.
// What is left of the unknowns around those that are eliminated together is a dense matrix, a
// front, which BLAS factors. An up-looking factorization (core/linear/sparse_cholesky.cpp)
// processes the entries one by one instead.
//
// MUMPS and its BLAS, OpenBLAS, are opened when a solve asks for them first: every program loads
// this plugin, also where they are not installed.
#include <dlfcn.h>
#include <dmumps_c.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <mutex>
#include <new>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/stop_scope.h"
#include "core/linear/linear_solver.h"
#include "core/plugin/abi.h"

namespace thallo {
namespace {

// The functions that are called, null in a library that lacks them.
struct Mumps {
  decltype(&dmumps_c) call = nullptr;
  int (*blas_threads)() = nullptr;
  void (*set_blas_threads)(int) = nullptr;
};

Expected<Mumps> open_mumps() {
  constexpr const char* Advice =
      "multifrontal_cholesky needs MUMPS " MUMPS_VERSION
      " over OpenBLAS (Debian's packages libmumps-seq-dev and libopenblas0); use sparse_cholesky";
  void* library = dlopen(THALLO_MUMPS_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return fail("{}; {}", dlerror(), Advice);
  Mumps mumps;
  std::string_view missing;
  const auto take = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
    if (function == nullptr) missing = name;
  };
  take(mumps.call, "dmumps_c");
  take(mumps.blas_threads, "openblas_get_num_threads");
  take(mumps.set_blas_threads, "openblas_set_num_threads");
  if (!missing.empty())
    return fail("{} and its libraries lack {}; {}", THALLO_MUMPS_LIBRARY, missing, Advice);
  return mumps;
}

// Opens the libraries at the first call.
const Expected<Mumps>& opened_mumps() {
  static const Expected<Mumps> opened = open_mumps();
  return opened;
}

enum class Job { Begin = -1, End = -2, Analyze = 1, Factorize = 2, Solve = 3 };

// A matrix as MUMPS knows it. Calls wait for each other, because MUMPS keeps global variables. Each
// is on one thread: so a solve takes no cores from the threads of the backend or of the program
// that embeds Thallo, and sums in the same order however many there are. MUMPS counts from 1:
// icntl[6] is ICNTL(7) of its manual.
class Instance {
 public:
  explicit Instance(const Mumps& mumps) : mumps_(mumps) {
    constexpr int World = -987654;  // the communicator, of one process
    constexpr int ApproximateMinimumFill = 2;
    data.comm_fortran = World;
    data.par = 1;
    data.sym = 1;  // positive definite
    call(Job::Begin);
    std::fill_n(data.icntl, 4, 0);  // prints neither progress nor errors
    data.icntl[6] = ApproximateMinimumFill;
  }
  Instance(const Instance&) = delete;
  Instance& operator=(const Instance&) = delete;
  ~Instance() { call(Job::End); }

  // Returns false if the matrix is not positive definite.
  bool run(Job job) {
    check_stop();
    call(job);
    constexpr int Singular = -10;
    constexpr int OutOfMemory[] = {-5, -7, -13};
    const int error = data.infog[0];
    const int num_negative_pivots = data.infog[11];
    if (std::ranges::find(OutOfMemory, error) != std::end(OutOfMemory)) throw std::bad_alloc();
    if (error < 0 && error != Singular) {
      throw DeviceError(fmt::format("MUMPS, job {}", static_cast<int>(job)),
                        fmt::format("INFOG(1) = {}, INFOG(2) = {}", error, data.infog[1]));
    }
    return error != Singular && num_negative_pivots == 0;
  }

  DMUMPS_STRUC_C data{};

 private:
  void call(Job job) {
    static std::mutex mutex;
    const std::scoped_lock lock(mutex);
    const int threads = mumps_.blas_threads();
    mumps_.set_blas_threads(1);
    data.job = static_cast<int>(job);
    mumps_.call(&data);
    mumps_.set_blas_threads(threads);
  }

  const Mumps& mumps_;
};

class MultifrontalCholesky final : public Factorization {
 public:
  MultifrontalCholesky(const Mumps& mumps, const MatrixPattern& pattern) : instance_(mumps) {
    for (std::int32_t row = 0, k = 0; row < pattern.n; ++row) {
      for (; k < pattern.offsets[static_cast<std::size_t>(row) + 1]; ++k) {
        const std::int32_t column = pattern.columns[static_cast<std::size_t>(k)];
        if (column < row) continue;
        rows_.push_back(row + 1);
        columns_.push_back(column + 1);
        source_.push_back(static_cast<std::size_t>(k));
      }
    }
    values_.resize(source_.size());
    DMUMPS_STRUC_C& data = instance_.data;
    data.n = static_cast<int>(pattern.n);
    data.nnz = static_cast<std::int64_t>(values_.size());
    data.irn = rows_.data();
    data.jcn = columns_.data();
    data.a = values_.data();
    instance_.run(Job::Analyze);
  }

  bool factorize(std::span<const double> values) override {
    std::ranges::transform(source_, values_.begin(),
                           [&](std::size_t from) { return values[from]; });
    return instance_.run(Job::Factorize);
  }

  void solve(std::span<double> x) override {
    instance_.data.rhs = x.data();
    instance_.data.nrhs = 1;
    instance_.run(Job::Solve);
  }

 private:
  Instance instance_;
  std::vector<std::int32_t> rows_, columns_;  // of the upper triangle, counted from 1
  std::vector<std::size_t> source_;           // the entry of the pattern that each of it is
  std::vector<double> values_;
};

// Fitted to the same as what sparse_cholesky expects (core/linear/linear_solver.cpp), within 37 %.
// Fronts take time for each unknown that is assembled in them, whatever is computed.
constexpr double SecondsPerUnknown = 0.8e-6;
constexpr double FlopsPerSecond = 2.5e10;

class MultifrontalCholeskySolver : public LinearSolver {
 public:
  std::string_view name() const override { return "multifrontal_cholesky"; }
  std::string_view doc() const override {
    return "JtJ as a sparse matrix, factored on the host in dense blocks by MUMPS, for graphs "
           "whose factor fills in";
  }
  MatrixForm form() const override { return MatrixForm::Csr; }
  std::unique_ptr<Factorization> analyze(const MatrixPattern& pattern) const override {
    const Expected<Mumps>& mumps = opened_mumps();
    if (!mumps) throw DeviceError("MUMPS", mumps.error().message());
    return std::make_unique<MultifrontalCholesky>(*mumps, pattern);
  }
  Expected<LinearOutlook> outlook(const LinearCase& the_case) const override {
    THALLO_TRY(auto outlook, LinearSolver::outlook(the_case));
    if (const Expected<Mumps>& mumps = opened_mumps(); !mumps) return fail(mumps.error());
    const std::int64_t rows =
        eliminates() ? the_case.elimination(*this)->kept : the_case.num_unknowns();
    outlook.host_seconds += SecondsPerUnknown * static_cast<double>(rows);
    return outlook;
  }
  double expected_seconds(const FactorSize& size) const override {
    return size.flops / FlopsPerSecond;
  }
};

class SchurMultifrontalCholeskySolver final : public MultifrontalCholeskySolver {
 public:
  std::string_view name() const override { return "schur_multifrontal_cholesky"; }
  std::string_view doc() const override {
    return "the same of what is left once unknowns are eliminated, for many cameras of which each "
           "shares points with few";
  }
  bool eliminates() const override { return true; }
};

Expected<void> register_into(Registrar& registrar) {
  THALLO_CHECK(registrar.add<LinearSolver>("multifrontal_cholesky",
                                           std::make_unique<MultifrontalCholeskySolver>()));
  return registrar.add<LinearSolver>("schur_multifrontal_cholesky",
                                     std::make_unique<SchurMultifrontalCholeskySolver>());
}

}  // namespace
}  // namespace thallo

THALLO_PLUGIN("multifrontal_cholesky", "1.0.0", "", thallo::register_into);
