// The dense solver (dense.h): `dense_solve` for up to 64 unknowns; `dense_prepare`, `dense_factor` and
// `dense_finish`, one after the other, for more; `dense_prepare_columns` and `dense_finish_columns`
// where a library factors between them. A typedef of Real is put in front of this text.

struct Args {
  const Real* matrix;
  const Real* damping;
  const Real* free_rows;
  const Real* b;
  Real* x;
  double* failed;
  double* factor;  // n columns of n + 1 rows; of a library n + 1 columns of n rows
  int* progress;   // of the factorization: tiles taken, whether it failed, which tiles are ready; of
                   // a library, whether it failed
  long long n;
  long long stride;  // from a column of the factor to the next
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

extern "C" __global__ void __launch_bounds__(256) dense_solve(const Args a) {
  wait_for_predecessor();
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

// A factor of n + 1 rows and n columns, column by column: L, and in row n the solution of L y = b.
// It consists of tiles of 32 x 32 entries. Above the diagonal, a diagonal tile has the transpose of
// its inverse.
__device__ double* tile_entry(const Args& a, int i, int j, int row, int column) {
  return a.factor + (32 * j + column) * a.stride + 32 * i + row;
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

// The functions below are for all 256 threads of a block. A thread has the entries of a tile in row
// t % 32 and columns t / 32 + 8 q.

// One thread calls it, behind a barrier that follows the stores of all.
__device__ void publish_tile(const Args& a, int i, int j) {
  __threadfence();
  *(volatile int*)ready_flag(a, i, j) = 1;
}

typedef double Tile[32][33];  // column by column

// to -= left * right^T
__device__ void subtract_product(double (&to)[4], const Tile& left, const Tile& right) {
  const int row = int(threadIdx.x) % 32;
  const int first = int(threadIdx.x) / 32;
#pragma unroll 8
  for (int m = 0; m < 32; ++m) {
    for (int q = 0; q < 4; ++q) to[q] -= left[m][row] * right[m][first + 8 * q];
  }
}

// 1 / x to the last bits, for x whose reciprocal is a normal number.
__device__ double reciprocal(double x) {
  double r;
  asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(r) : "d"(x));
  const double error = fma(-x, r, 1.0);
  return fma(r, fma(error, error, error), r);
}

// Factors L D L^T, and finds the inverse of L by the same operations on rows: no step waits for a
// root, and each waits once for the others.
__device__ void factor_diagonal_tile(const Args& a, int j, double (&v)[4], Tile& transposed) {
  __shared__ double column[2][32], row_of_inverse[2][32], pivots[32];
  const int row = int(threadIdx.x) % 32;
  const int first = int(threadIdx.x) / 32;
  const int width = min(32, int(a.n) - 32 * j);
  double inverse[4];
  for (int q = 0; q < 4; ++q) inverse[q] = first + 8 * q == row ? 1.0 : 0.0;
  bool ok = true;
#pragma unroll
  for (int p = 0; p < 4; ++p) {
#pragma unroll 1
    for (int k = 8 * p; k < min(8 * p + 8, width); ++k) {
      const int turn = k % 2;
      if (first == k % 8) column[turn][row] = v[p];
      if (row == k)
        for (int q = 0; q < 4; ++q) row_of_inverse[turn][first + 8 * q] = inverse[q];
      __syncthreads();
      const double pivot = column[turn][k];
      ok = ok && pivot > 0.0;
      if (threadIdx.x == 0) pivots[k] = pivot;
      const double factor = row > k ? column[turn][row] * reciprocal(pivot) : 0.0;
      for (int q = 0; q < 4; ++q) {
        const int c = first + 8 * q;
        if (c > k) v[q] -= factor * column[turn][c];
        inverse[q] -= factor * row_of_inverse[turn][c];
      }
    }
  }
  if (threadIdx.x == 0 && !ok) a.progress[1] = 1;
  for (int q = 0; q < 4; ++q) transposed[first + 8 * q][row] = inverse[q];
  __syncthreads();
  for (int q = 0; q < 4; ++q) {
    const int c = first + 8 * q;
    if (c >= width) break;
    const double scaling = rsqrt(pivots[c]);
    const double value = c <= row ? v[q] : transposed[row][c];
    if (32 * j + row <= a.n) *tile_entry(a, j, j, row, c) = value * scaling;
  }
  __syncthreads();
  if (threadIdx.x == 0) publish_tile(a, j, j);
}

extern "C" __global__ void dense_prepare(const Args a) {
  wait_for_predecessor();
  const long long e = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  const long long tiles = ((a.n + 31) / 32) * (a.n / 32 + 1);
  if (e < tiles + 2) a.progress[e] = 0;
  if (e >= a.n * a.n) return;
  const long long i = e / a.n;
  const long long j = e % a.n;
  if (j <= i) a.factor[j * a.stride + i] = entry(a, i, j);
  if (j == 0) a.factor[i * a.stride + a.n] = right_hand_side(a, i);
}

// One block for each tile, column after column, but the block of a diagonal tile makes the tile to
// the left of it, too: the next diagonal tile waits for nothing but the one before. A block waits
// for tiles that blocks have which were started before it, since each takes the next tile when it
// starts.
extern "C" __global__ void __launch_bounds__(256) dense_factor(const Args a) {
  __shared__ Tile left, top;
  __shared__ int taken;
  wait_for_predecessor();
  const int t = int(threadIdx.x);
  const int row = t % 32;
  const int first = t / 32;
  if (t == 0) taken = atomicAdd(a.progress, 1);
  __syncthreads();
  const int num_rows = int(a.n) / 32 + 1;
  const int num_columns = (int(a.n) + 31) / 32;
  // Of each column: the diagonal tile, then those from two rows below it on; of the last one all.
  int rest = taken;
  int j = 0;
  for (; j + 1 < num_columns && rest >= num_rows - j - 1; ++j) rest -= num_rows - j - 1;
  const int i = rest == 0 ? j : j + rest + (j + 1 < num_columns ? 1 : 0);
  const bool is_diagonal = i == j;
  const int column = is_diagonal ? j - 1 : j;  // of the tile (i, column); -1: there is none

  double sum[4] = {0.0, 0.0, 0.0, 0.0};  // of the diagonal tile
  double low[4] = {0.0, 0.0, 0.0, 0.0};  // of the other one
  for (int q = 0; q < 4; ++q) {
    if (is_diagonal) sum[q] = shared_entry(a, i, i, row, first + 8 * q);
    if (column >= 0) low[q] = shared_entry(a, i, column, row, first + 8 * q);
  }
  for (int k = 0; k < column; ++k) {
    if (t == 0) wait_for_tile(a, i, k);
    if (t == 32) wait_for_tile(a, column, k);
    __syncthreads();
    for (int c = first; c < 32; c += 8) {
      left[c][row] = shared_entry(a, i, k, row, c);
      top[c][row] = shared_entry(a, column, k, row, c);
    }
    __syncthreads();
    subtract_product(low, left, top);
    if (is_diagonal) subtract_product(sum, left, left);
    __syncthreads();
  }
  if (column >= 0) {
    // Times the transposed inverse of the diagonal tile.
    for (int q = 0; q < 4; ++q) left[first + 8 * q][row] = -low[q];
    if (t == 0) wait_for_tile(a, column, column);
    __syncthreads();
    for (int c = first; c < 32; c += 8) {
      const double value = shared_entry(a, column, column, row, c);
      top[row][c] = row < c ? value : row == c ? 1.0 / value : 0.0;
    }
    __syncthreads();
    double solved[4] = {0.0, 0.0, 0.0, 0.0};
    subtract_product(solved, left, top);
    __syncthreads();
    for (int q = 0; q < 4; ++q) {
      left[first + 8 * q][row] = solved[q];
      if (32 * i + row <= a.n) *tile_entry(a, i, column, row, first + 8 * q) = solved[q];
    }
    __syncthreads();
    if (is_diagonal) subtract_product(sum, left, left);
    if (t == 0) publish_tile(a, i, column);
  }
  if (is_diagonal) factor_diagonal_tile(a, j, sum, top);
}

// What becomes of the solution of the scaled system; for 512 threads of a block.
__device__ void end(const Args& a, const double* x, bool ok) {
  const long long t = threadIdx.x;
  for (long long i = t; i < a.n; i += 512) ok = ok && isfinite(scale(a, i) * x[i]);
  ok = __syncthreads_and(ok) != 0;
  for (long long i = t; i < a.n; i += 512) {
    a.x[i] = ok && is_active(a, i) ? Real(scale(a, i) * x[i]) : Real(0);
  }
  if (t == 0) *a.failed = ok ? 0.0 : 1.0;
}

// One block: x = L^-T y, and what becomes of it. A warp takes two columns of L at a time.
extern "C" __global__ void __launch_bounds__(512) dense_finish(const Args a) {
  __shared__ double x[2048 + 32];  // behind the columns that are solved: y
  wait_for_predecessor();
  const int t = int(threadIdx.x);
  const int lane = t % 32;
  const int n = int(a.n);
  const int num_tiles = (n + 31) / 32;
  for (int c = t; c < 32 * num_tiles; c += 512) x[c] = c < n ? a.factor[c * a.stride + n] : 0.0;
  __syncthreads();
  for (int j = num_tiles - 1; j >= 0; --j) {
    const int width = min(32, n - 32 * j);
    // A row of the transposed inverse for each lane of the first warp.
    double inverse[32];
    double pivot = 1.0;
    if (t < width) {
      pivot = *tile_entry(a, j, j, t, t);
#pragma unroll
      for (int r = 1; r < 32; ++r)
        inverse[r] = r > t && r < width ? *tile_entry(a, j, j, t, r) : 0.0;
    }
    const int c = 32 * j + t / 32;
    const double* const first = a.factor + c * a.stride;
    const double* const second = first + 16 * a.stride;
    double sum[2] = {0.0, 0.0};
    if (j + 1 < num_tiles) {
#pragma unroll 8
      for (int r = 32 * (j + 1) + lane; r < n; r += 32) {
        sum[0] += first[r] * x[r];
        sum[1] += second[r] * x[r];
      }
      for (int offset = 16; offset > 0; offset >>= 1) {
        sum[0] += __shfl_xor_sync(0xffffffffu, sum[0], offset);
        sum[1] += __shfl_xor_sync(0xffffffffu, sum[1], offset);
      }
      if (lane == 0) {
        x[c] -= sum[0];
        x[c + 16] -= sum[1];
      }
    }
    __syncthreads();
    if (t < 32) {
      double its[4] = {x[32 * j + t] / pivot, 0.0, 0.0, 0.0};
#pragma unroll
      for (int r = 1; r < 32; ++r) its[r % 4] += t < width ? inverse[r] * x[32 * j + r] : 0.0;
      __syncwarp();
      x[32 * j + t] = t < width ? (its[0] + its[1]) + (its[2] + its[3]) : 0.0;
    }
    __syncthreads();
  }
  end(a, x, a.progress[1] == 0);
}

// The matrix is symmetric, so that neighbors read and write neighbors.
extern "C" __global__ void dense_prepare_columns(const Args a) {
  wait_for_predecessor();
  const long long e = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (e >= a.n * a.n) return;
  const long long j = e / a.n;
  const long long i = e % a.n;
  if (i >= j) a.factor[j * a.stride + i] = entry(a, j, i);
  if (j == 0) a.factor[a.n * a.stride + i] = right_hand_side(a, i);
}

// One block. The solution is in place of the right-hand side.
extern "C" __global__ void __launch_bounds__(512) dense_finish_columns(const Args a) {
  wait_for_predecessor();
  end(a, a.factor + a.n * a.stride, a.progress[0] == 0);
}
