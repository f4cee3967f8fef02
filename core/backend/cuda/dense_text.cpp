#include "core/backend/cuda/dense_text.h"

#include <string_view>

#include <fmt/format.h>

#include "core/base/error.h"

namespace thallo::cuda {
namespace {

// Functions shared by all three kernels. A typedef of Real is put in front of this text.
constexpr std::string_view CommonText = R"(
struct Args {
  const Real* matrix;
  const Real* damping;
  const Real* free_rows;
  const Real* b;
  Real* x;
  double* failed;
  double* factor;   // n x n, column-major, lower triangle
  double* rhs;      // n
  const int* info;  // of the factorization
  long long n;
};

// Rows that take part; a NaN does, so that it is found.
__device__ bool is_active(const Args& a, long long i) {
  return a.free_rows[i] != Real(0) && a.matrix[i * a.n + i] != Real(0);
}

__device__ double damping(const Args& a, long long i) {
  return a.damping != 0 ? double(a.damping[i]) : 0.0;
}

__device__ double scale(const Args& a, long long i) {
  return is_active(a, i) ? 1.0 / sqrt(double(a.matrix[i * a.n + i]) + damping(a, i)) : 1.0;
}

// Entry of the scaled system.
__device__ double entry(const Args& a, long long i, long long j) {
  if (!is_active(a, i) || !is_active(a, j)) return i == j ? 1.0 : 0.0;
  const double value = double(a.matrix[i * a.n + j]) + (i == j ? damping(a, i) : 0.0);
  return scale(a, i) * value * scale(a, j);
}

__device__ double right_hand_side(const Args& a, long long i) {
  return is_active(a, i) ? scale(a, i) * double(a.b[i]) : 0.0;
}
)";

// Solves in one thread block by right-looking Cholesky. Column 64 of `l` is padding against bank
// conflicts.
constexpr std::string_view BlockText = R"(
extern "C" __global__ void __launch_bounds__(256) dense_solve(const Args a) {
  __shared__ double l[64][65];
  __shared__ double y[64];
  const int n = int(a.n);
  const int t = int(threadIdx.x);
  for (int e = t; e < n * n; e += 256) {
    const int i = e / n;
    const int j = e % n;
    if (j <= i) l[i][j] = entry(a, i, j);
  }
  if (t < n) y[t] = right_hand_side(a, t);
  __syncthreads();

  bool ok = true;  // the same in every thread
  for (int k = 0; k < n && ok; ++k) {
    const double pivot = l[k][k];
    ok = pivot > 0.0;
    const double inverse = 1.0 / sqrt(pivot);
    __syncthreads();
    if (t == k) {
      l[k][k] = sqrt(pivot);
      y[k] *= inverse;  // forward substitution goes along
    } else if (t > k && t < n) {
      l[t][k] *= inverse;
    }
    __syncthreads();
    const int m = n - k - 1;
    for (int e = t; e < m * m; e += 256) {
      const int i = k + 1 + e / m;
      const int j = k + 1 + e % m;
      if (j <= i) l[i][j] -= l[i][k] * l[j][k];
    }
    if (t > k && t < n) y[t] -= l[t][k] * y[k];
    __syncthreads();
  }
  for (int k = n - 1; k >= 0 && ok; --k) {
    if (t == k) y[k] /= l[k][k];
    __syncthreads();
    if (t < k) y[t] -= l[k][t] * y[k];
    __syncthreads();
  }

  const double x = t < n && is_active(a, t) ? scale(a, t) * y[t] : 0.0;
  ok = __syncthreads_and(ok && isfinite(x)) != 0;
  if (t < n) a.x[t] = ok ? Real(x) : Real(0);
  if (t == 0) *a.failed = ok ? 0.0 : 1.0;
}
)";

constexpr std::string_view LargeText = R"(
extern "C" __global__ void dense_prepare(const Args a) {
  const long long e = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (e >= a.n * a.n) return;
  const long long i = e / a.n;
  const long long j = e % a.n;
  if (j <= i) a.factor[j * a.n + i] = entry(a, i, j);
  if (j == 0) a.rhs[i] = right_hand_side(a, i);
}

// One block, after rhs was overwritten by the solution.
extern "C" __global__ void __launch_bounds__(256) dense_finish(const Args a) {
  bool ok = *a.info == 0;
  for (long long i = threadIdx.x; i < a.n; i += 256) ok = ok && isfinite(scale(a, i) * a.rhs[i]);
  ok = __syncthreads_and(ok) != 0;
  for (long long i = threadIdx.x; i < a.n; i += 256) {
    a.x[i] = ok && is_active(a, i) ? Real(scale(a, i) * a.rhs[i]) : Real(0);
  }
  if (threadIdx.x == 0) *a.failed = ok ? 0.0 : 1.0;
}
)";

std::string_view type_name(ScalarType type) {
  THALLO_ASSERT(type == ScalarType::Float || type == ScalarType::Double);
  return type == ScalarType::Float ? "float" : "double";
}

}  // namespace

Source dense_source(ScalarType real) {
  return {"dense_solve", fmt::format("typedef {} Real;\n{}{}{}", type_name(real), CommonText,
                                     BlockText, LargeText)};
}

}  // namespace thallo::cuda
