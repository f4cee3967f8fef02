#include "plugins/supernodal_cholesky/one_thread.h"

#include <mutex>

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

}  // namespace

// If no level of parallel regions is active, each region has one thread.
OneThread::OneThread() {
  if (has_openmp()) {
    openmp_levels_ = omp_get_max_active_levels();
    omp_set_max_active_levels(0);
  }
  if (has_openblas()) openblas_threads().hold();
}

OneThread::~OneThread() {
  if (has_openblas()) openblas_threads().release();
  if (has_openmp()) omp_set_max_active_levels(openmp_levels_);
}

}  // namespace thallo
