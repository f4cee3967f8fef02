#include "core/backend/cuda/dense_text.h"

#include <string_view>

#include <fmt/format.h>

#include "core/base/error.h"

namespace thallo::cuda {
namespace {

// Functions shared by all kernels. A typedef of Real is put in front of this text.
constexpr std::string_view CommonText = R"(
struct Args {
  const Real* matrix;
  const Real* damping;
  const Real* free_rows;
  const Real* b;
  Real* x;
  double* failed;
  double* factor;  // (n + 1) x n
  int* progress;   // of the factorization: tiles taken, whether it failed, which tiles are ready
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

constexpr std::string_view TilesText = R"(
// A factor of n + 1 rows and n columns, column by column: L, and in row n the solution of L y = b.
// Its tiles have 32 x 32 entries; each is the work of one block. In diagonal tiles, the transposed
// inverse of the tile lies above the diagonal.
__device__ double* tile_entry(const Args& a, int i, int j, int row, int column) {
  return a.factor + (32 * j + column) * (a.n + 1) + 32 * i + row;
}

// An entry that another block may just have written. The caches beside the cores may not have it.
__device__ double shared_entry(const Args& a, int i, int j, int row, int column) {
  const bool is_inside = 32 * i + row <= a.n && 32 * j + column < a.n;
  return is_inside ? __ldcg(tile_entry(a, i, j, row, column)) : 0.0;
}

__device__ int* ready_flag(const Args& a, int i, int j) {
  return a.progress + 2 + i * ((int(a.n) + 31) / 32) + j;
}

__device__ void wait_for_tile(const Args& a, int i, int j) {
  const volatile int* const ready = ready_flag(a, i, j);
  while (*ready == 0) {}
  __threadfence();
}

// By the warp that has written the tile.
__device__ void publish_tile(const Args& a, int i, int j) {
  __threadfence();
  __syncwarp();
  if (threadIdx.x == 0) *(volatile int*)ready_flag(a, i, j) = 1;
}

// One warp, a row of the tile for each lane. `column` is scratch memory.
__device__ void factor_diagonal_tile(const Args& a, int j, double (*tile)[33], double (*column)[33]) {
  const int lane = int(threadIdx.x);
  const int width = min(32, int(a.n) - 32 * j);
  double v[32];
#pragma unroll
  for (int c = 0; c < 32; ++c) v[c] = tile[c][lane];
  bool ok = true;
#pragma unroll
  for (int k = 0; k < 32; ++k) {
    column[k][lane] = v[k];
    __syncwarp();
    const double pivot = k < width ? column[k][k] : 1.0;
    ok = ok && pivot > 0.0;
    const double inverse = 1.0 / sqrt(pivot);
    v[k] *= inverse;
    const double factor = v[k] * inverse;
#pragma unroll
    for (int c = k + 1; c < 32; ++c) v[c] -= factor * column[k][c];
  }
  const bool is_row = 32 * j + lane <= a.n;
#pragma unroll
  for (int c = 0; c < 32; ++c) {
    tile[c][lane] = v[c];
    if (is_row && c < width && c <= lane) *tile_entry(a, j, j, lane, c) = v[c];
  }
  if (lane == 0 && !ok) a.progress[1] = 1;
  publish_tile(a, j, j);
  // The column of the inverse for each lane.
#pragma unroll
  for (int c = 0; c < 32; ++c) v[c] = c == lane ? 1.0 : 0.0;
#pragma unroll
  for (int k = 0; k < 32; ++k) {
    v[k] /= tile[k][k];
#pragma unroll
    for (int c = k + 1; c < 32; ++c) v[c] -= v[k] * tile[k][c];
  }
#pragma unroll
  for (int c = 1; c < 32; ++c)
    if (c < width && lane < c) *tile_entry(a, j, j, lane, c) = v[c];
}

// One warp, a row of the tile for each lane: the tile times the transposed inverse of `diagonal`.
__device__ void solve_tile(const Args& a, int i, int j, const double (*tile)[33],
                           const double (*diagonal)[33], double* inverses) {
  const int lane = int(threadIdx.x);
  inverses[lane] = 1.0 / diagonal[lane][lane];
  __syncwarp();
  double v[32];
#pragma unroll
  for (int c = 0; c < 32; ++c) v[c] = tile[c][lane];
#pragma unroll
  for (int k = 0; k < 32; ++k) {
    v[k] *= inverses[k];
#pragma unroll
    for (int c = k + 1; c < 32; ++c) v[c] -= v[k] * diagonal[k][c];
  }
#pragma unroll
  for (int c = 0; c < 32; ++c)
    if (32 * i + lane <= a.n) *tile_entry(a, i, j, lane, c) = v[c];
  publish_tile(a, i, j);
}
)";

constexpr std::string_view LargeText = R"(
extern "C" __global__ void dense_prepare(const Args a) {
  const long long e = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  const long long tiles = ((a.n + 31) / 32) * (a.n / 32 + 1);
  if (e < tiles + 2) a.progress[e] = 0;
  if (e >= a.n * a.n) return;
  const long long i = e / a.n;
  const long long j = e % a.n;
  if (j <= i) a.factor[j * (a.n + 1) + i] = entry(a, i, j);
  if (j == 0) a.factor[i * (a.n + 1) + a.n] = right_hand_side(a, i);
}

// One block for each tile, column after column. A block waits for tiles to the left of its own,
// which blocks have that were started before it, since each takes the next tile when it starts.
extern "C" __global__ void __launch_bounds__(256) dense_factor(const Args a) {
  __shared__ double left[32][33], top[32][33];  // column by column
  __shared__ double inverses[32];
  __shared__ int taken;
  const int t = int(threadIdx.x);
  const int row = t % 32;
  const int first = t / 32;  // of the columns first, first + 8, ...
  if (t == 0) taken = atomicAdd(a.progress, 1);
  __syncthreads();
  const int num_rows = int(a.n) / 32 + 1;
  int i = taken;
  int j = 0;
  for (; i >= num_rows - j; ++j) i -= num_rows - j;
  i += j;

  double sum[4];
  for (int q = 0; q < 4; ++q) sum[q] = shared_entry(a, i, j, row, first + 8 * q);
  for (int k = 0; k < j; ++k) {
    if (t == 0) wait_for_tile(a, i, k);
    if (t == 32) wait_for_tile(a, j, k);
    __syncthreads();
    for (int c = first; c < 32; c += 8) {
      left[c][row] = shared_entry(a, i, k, row, c);
      top[c][row] = shared_entry(a, j, k, row, c);
    }
    __syncthreads();
#pragma unroll 8
    for (int m = 0; m < 32; ++m) {
      for (int q = 0; q < 4; ++q) sum[q] -= left[m][row] * top[m][first + 8 * q];
    }
    __syncthreads();
  }
  for (int q = 0; q < 4; ++q) left[first + 8 * q][row] = sum[q];
  if (i == j) {
    __syncthreads();
    if (t < 32) factor_diagonal_tile(a, j, left, top);
    return;
  }
  if (t == 0) wait_for_tile(a, j, j);
  __syncthreads();
  for (int c = first; c < 32; c += 8) top[c][row] = shared_entry(a, j, j, row, c);
  __syncthreads();
  if (t < 32) solve_tile(a, i, j, left, top, inverses);
}

// One block: x = L^-T y, and what becomes of it.
extern "C" __global__ void __launch_bounds__(256) dense_finish(const Args a) {
  __shared__ double y[2048];
  const int t = int(threadIdx.x);
  const int n = int(a.n);
  for (int c = t; c < n; c += 256) y[c] = a.factor[c * (a.n + 1) + n];
  for (int j = (n + 31) / 32 - 1; j >= 0; --j) {
    __syncthreads();
    const int width = min(32, n - 32 * j);
    double x = 0.0;
    if (t < width) {
      x = y[32 * j + t] / *tile_entry(a, j, j, t, t);
      for (int r = t + 1; r < width; ++r) x += *tile_entry(a, j, j, t, r) * y[32 * j + r];
    }
    __syncthreads();
    if (t < width) y[32 * j + t] = x;
    __syncthreads();
    for (int c = t; c < 32 * j; c += 256) {
      const double* const below = a.factor + c * (a.n + 1) + 32 * j;
      double sum = 0.0;
#pragma unroll 8
      for (int r = 0; r < width; ++r) sum += below[r] * y[32 * j + r];
      y[c] -= sum;
    }
  }
  __syncthreads();
  bool ok = a.progress[1] == 0;
  for (int i = t; i < n; i += 256) ok = ok && isfinite(scale(a, i) * y[i]);
  ok = __syncthreads_and(ok) != 0;
  for (int i = t; i < n; i += 256) {
    a.x[i] = ok && is_active(a, i) ? Real(scale(a, i) * y[i]) : Real(0);
  }
  if (t == 0) *a.failed = ok ? 0.0 : 1.0;
}
)";

std::string_view type_name(ScalarType type) {
  THALLO_ASSERT(type == ScalarType::Float || type == ScalarType::Double);
  return type == ScalarType::Float ? "float" : "double";
}

}  // namespace

Source dense_source(ScalarType real) {
  return {"dense_solve", fmt::format("typedef {} Real;\n{}{}{}{}", type_name(real), CommonText,
                                     BlockText, TilesText, LargeText)};
}

}  // namespace thallo::cuda
