// The kernels of multigrid (multigrid.h). What differs between programs is put in front of this text
// (multigrid_text.h): types, the shape of stencils and tiles, and the functions fine_row and
// coarse_row, a row of the matrix times values around an element.
//
// Both kernels run in one wave of blocks, which wait for each other at barriers. A cycle takes two
// phases a level. On the way down a block takes a tile of coarse elements: it smooths from zero,
// computes what remains at the fine elements around the tile in shared memory, and restricts that.
// On the way up it takes a tile of fine elements: it adds the coarse correction and smooths once
// more. Coarse levels with few scalars are left to the first block, which waits for itself only.

struct Level {
  Long nx, ny, nz, n;  // extents, elements: all less than 2^31
  Long weights, matrix, residual, correction;
};
struct Args {
  double* state;
  Long gate_slot;
  double gate_value;
  unsigned long long loop_handle;
  const Vector* r;
  Vector* z;
  const Real* damping;
  const Real* matrix;
  Real* levels;
  unsigned long long* arrivals;  // a multiple of the number of blocks between launches
  Long num_levels;
  Long first[C], stride[C];
  Level level[MaxLevels];
};

bool is_closed(const Args& a) {
  return a.gate_slot >= 0 && a.state[a.gate_slot] != a.gate_value;
}

// Waits until all blocks have come here and sees what they have written.
void wait_for_all(unsigned long long* arrivals) {
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    const unsigned long long before = atomicAdd(arrivals, 1ull);
    const unsigned long long all = (before / gridDim.x + 1) * gridDim.x;
    while (*(volatile unsigned long long*)arrivals < all) {
    }
    __threadfence();
  }
  __syncthreads();
}

// A level as a kernel reads it.
template <bool Finest>
struct Grid {
  int nx, ny, nz;
  Long n;
  const Real* matrix;
  Real* weights;
  Real* residual;
  Real* correction;

  Grid(const Args& a, int l)
      : nx(int(a.level[l].nx)), ny(int(a.level[l].ny)), nz(int(a.level[l].nz)),
        n(a.level[l].n), matrix(Finest ? a.matrix : a.levels + a.level[l].matrix),
        weights(a.levels + a.level[l].weights), residual(a.levels + a.level[l].residual),
        correction(a.levels + a.level[l].correction) {}
  bool has(int x, int y, int z) const {
    return x >= 0 && x < nx && (D < 2 || (y >= 0 && y < ny)) && (D < 3 || (z >= 0 && z < nz));
  }
  int at(int x, int y, int z) const {
    return x + (D > 1 ? nx * (y + (D > 2 ? ny * z : 0)) : 0);
  }
};
Long place(const Args& a, int c, int i) { return a.first[c] + a.stride[c] * i; }
Real damping(const Args& a, int c, int i) {
  return IsDamped ? a.damping[place(a, c, i)] : Real(0);
}

// With the damping, which scalars that no residual depends on do not have.
template <bool Finest>
Real diagonal(const Args& a, const Grid<Finest>& g, int c, int i) {
  const int position = Finest ? FineDiagonal[c] : CoarseDiagonal[c];
  if (position < 0) return 0;
  const Real d = g.matrix[position * g.n + i];
  return d > 0 ? (Finest ? d + damping(a, c, i) : d) : Real(0);
}

// The share of a coarse element in the fine one behind it.
Real share_behind(int at, int num_coarse) { return at + 1 < num_coarse ? Real(0.5) : Real(1); }

// What a fine element at distance j from coarse element `at` has of the one at distance k.
Real share(int j, int k, int at, int num_coarse) {
  if (j == 2 * k) return 1;
  if (j == 2 * k + 1) return share_behind(at + k, num_coarse);
  return j == 2 * k - 1 ? 1 - share_behind(at + k - 1, num_coarse) : Real(0);
}

// All entries of two channels in the row of a coarse element, each fine entry being read once.
template <bool Finest>
void coarsen_row(const Args& a, const Grid<Finest>& f, const Grid<false>& g, int pair, int i) {
  constexpr int Reach = Finest ? FineRadius : CoarseRadius;
  constexpr int Width = 2 * Reach + 1, CoarseWidth = 2 * CoarseRadius + 1;
  constexpr int CoarseY = D > 1 ? CoarseRadius : 0, CoarseZ = D > 2 ? CoarseRadius : 0;
  const short* first = CoarseEntries + 5 * CoarseBox * pair;
  const int row = first[0], col = first[1];
  const int x = i % g.nx, y = D > 1 ? i / g.nx % g.ny : 0, z = D > 2 ? i / g.nx / g.ny : 0;
  Real sums[CoarseBox] = {}, magnitude = 0;
#pragma unroll UnrollOfBuild
  for (int p = 0; p < (D > 2 ? 27 : D > 1 ? 9 : 3); ++p) {
    const int px = p % 3 - 1, py = D > 1 ? p / 3 % 3 - 1 : 0, pz = D > 2 ? p / 9 - 1 : 0;
    if (!f.has(2 * x + px, 2 * y + py, 2 * z + pz)) continue;
    const int fine = f.at(2 * x + px, 2 * y + py, 2 * z + pz);
    const Real weight = share(px, 0, x, g.nx) * (D > 1 ? share(py, 0, y, g.ny) : Real(1)) *
                        (D > 2 ? share(pz, 0, z, g.nz) : Real(1));
#pragma unroll UnrollOfBuild
    for (int o = 0; o < FineOrCoarseBox<Finest>; ++o) {
      const int dx = o % Width - Reach, dy = D > 1 ? o / Width % Width - Reach : 0,
                dz = D > 2 ? o / Width / Width - Reach : 0;
      const int jx = px + dx, jy = py + dy, jz = pz + dz;
      if (!f.has(2 * x + jx, 2 * y + jy, 2 * z + jz)) continue;
      Real value = 0;
      if (row == col && dx == 0 && dy == 0 && dz == 0) {
        value = diagonal(a, f, row, fine);
      } else {
        const int position =
            Finest ? FinePosition[(row * C + col) * FineBox + o] : CoarseBox * pair + o;
        if (position < 0) continue;
        value = f.matrix[position * f.n + fine];
      }
      value *= weight;
#pragma unroll
      for (int kz = -CoarseZ; kz <= CoarseZ; ++kz) {
        if (D > 2 && (jz < 2 * kz - 1 || jz > 2 * kz + 1)) continue;
        const Real at_z = D > 2 ? value * share(jz, kz, z, g.nz) : value;
#pragma unroll
        for (int ky = -CoarseY; ky <= CoarseY; ++ky) {
          if (D > 1 && (jy < 2 * ky - 1 || jy > 2 * ky + 1)) continue;
          const Real at_y = D > 1 ? at_z * share(jy, ky, y, g.ny) : at_z;
#pragma unroll
          for (int kx = -CoarseRadius; kx <= CoarseRadius; ++kx) {
            if (jx < 2 * kx - 1 || jx > 2 * kx + 1) continue;
            const Real added = at_y * share(jx, kx, x, g.nx);
            sums[kx + CoarseRadius +
                 CoarseWidth * (ky + CoarseY + CoarseWidth * (kz + CoarseZ))] += added;
            if (kx == 0 && ky == 0 && kz == 0) magnitude += fabs(added);
          }
        }
      }
    }
  }
  if (row == col && !(sums[CoarseBox / 2] > Negligible * magnitude)) sums[CoarseBox / 2] = 0;
  Real* to = const_cast<Real*>(g.matrix) + Long(CoarseBox * pair) * g.n + i;
#pragma unroll
  for (int o = 0; o < CoarseBox; ++o) to[o * g.n] = sums[o];
}

template <bool Finest>
void coarsen(const Args& a, int l) {
  const Grid<Finest> f(a, l);
  const Grid<false> g(a, l + 1);
  const int n = int(g.n), step = int(gridDim.x * blockDim.x);
  for (int pair = 0; pair < NumPairs; ++pair)
    for (int i = (int(blockIdx.x + pair * 37) % int(gridDim.x)) * BlockSize + int(threadIdx.x);
         i < n; i += step)
      coarsen_row<Finest>(a, f, g, pair, i);
}

// See HostMultigrid::weigh().
template <bool Finest>
void weigh(const Args& a, int l, Real relaxation) {
  const Grid<Finest> g(a, l);
  const short* entries = Finest ? FineEntries : CoarseEntries;
  const short* rows = Finest ? FineRows : CoarseRows;
  const int n = int(g.n), step = int(gridDim.x * blockDim.x);
  for (int i = int(blockIdx.x) * BlockSize + int(threadIdx.x); i < n; i += step) {
    const int x = i % g.nx, y = D > 1 ? i / g.nx % g.ny : 0, z = D > 2 ? i / g.nx / g.ny : 0;
    for (int c = 0; c < C; ++c) {
      const Real d = diagonal(a, g, c, i);
      Real sum = 0;
#pragma unroll 4
      for (int e = rows[c]; e < rows[c + 1]; ++e) {
        const short* entry = entries + 5 * e;
        const int ox = entry[2], oy = entry[3], oz = entry[4];
        if (!g.has(x + ox, y + oy, z + oz)) continue;
        const bool is_diagonal = entry[1] == c && ox == 0 && oy == 0 && oz == 0;
        const Real other = diagonal(a, g, entry[1], g.at(x + ox, y + oy, z + oz));
        if (is_diagonal) sum += d;
        else if (other > 0) sum += fabs(g.matrix[e * g.n + i]) * sqrt(d / other);
      }
      g.weights[c * g.n + i] = d > 0 ? relaxation / sum : Real(0);
    }
  }
}

extern "C" __global__ void __launch_bounds__(BlockSize, BlocksPerUnit)
    multigrid_build(const __grid_constant__ Args a) {
  wait_for_predecessor();
  if (is_closed(a)) return;
  const int last = int(a.num_levels) - 1;
  const double radius = a.state[LevelsRadius], age = a.state[LevelsAge], now = a.state[Radius];
  const bool is_stale =
      !(radius > 0) || now > MostChange * radius || radius > MostChange * now || age >= MostAge;
  weigh<true>(a, 0, last == 0 ? Real(1) : Relaxation);
  if (is_stale) {
    for (int l = 0; l < last; ++l) {
      if (l == 0) coarsen<true>(a, l);
      else coarsen<false>(a, l);
      wait_for_all(a.arrivals);
    }
    for (int l = 1; l <= last; ++l) weigh<false>(a, l, l == last ? Real(1) : Relaxation);
  }
  wait_for_all(a.arrivals);  // until all have read the state
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    if (is_stale) a.state[LevelsRadius] = now;
    a.state[LevelsAge] = is_stale ? 1 : age + 1;
  }
}

__shared__ Real values[C * (GX * GY * GZ > HX * HY * HZ ? GX * GY * GZ : HX * HY * HZ)];
__shared__ Real rest[C * FX * FY * FZ];

constexpr int YRadius = D > 1 ? R : 0, ZRadius = D > 2 ? R : 0;
constexpr int NumG = GX * GY * GZ, NumH = HX * HY * HZ, NumF = FX * FY * FZ, NumT = TX * TY * TZ;

template <bool Finest>
Real residual(const Args& a, const Grid<Finest>& g, int c, int i) {
  return Finest ? Real(a.r[place(a, c, i)]) : g.residual[c * g.n + i];
}
template <bool Finest>
Real weight(const Grid<Finest>& g, int c, int i) {
  return __ldg(g.weights + c * g.n + i);
}
template <bool Finest>
void store(const Args& a, const Grid<Finest>& g, int c, int i, Real value) {
  if (Finest) a.z[place(a, c, i)] = Vector(value);
  else g.correction[c * g.n + i] = value;
}

// Row c at element i of A v, of which the values around i are at v.
template <bool Finest, int SX, int SXY, int SC>
Real product(const Args& a, const Grid<Finest>& g, int c, int i, const Real* v) {
  if (!Finest) return coarse_row<SX, SXY, SC>(c, g.matrix + i, g.n, v);
  const Real sum = fine_row<SX, SXY, SC>(c, g.matrix + i, g.n, v);
  return IsDamped ? sum + damping(a, c, i) * v[c * SC] : sum;
}

template <bool Finest>
void go_down(const Args& a, int level, int first, int step) {
  const Grid<Finest> f(a, level);
  const Grid<false> g(a, level + 1);
  const int tiles_x = (g.nx + TX - 1) / TX, tiles_y = (g.ny + TY - 1) / TY;
  const int num_tiles = tiles_x * tiles_y * ((g.nz + TZ - 1) / TZ);
  for (int tile = first; tile < num_tiles; tile += step) {
    const int x0 = tile % tiles_x * TX, y0 = tile / tiles_x % tiles_y * TY,
              z0 = tile / tiles_x / tiles_y * TZ;
    // The fine elements of `rest` begin at 2 x0 - 1, those of `values` R before.
    const int rx = 2 * x0 - 1, ry = D > 1 ? 2 * y0 - 1 : 0, rz = D > 2 ? 2 * z0 - 1 : 0;
    for (int k = threadIdx.x; k < NumG; k += BlockSize) {
      const int x = rx - R + k % GX, y = ry - YRadius + k / GX % GY,
                z = rz - ZRadius + k / (GX * GY);
      const bool has = f.has(x, y, z);
      const int i = f.at(x, y, z);
#pragma unroll
      for (int c = 0; c < C; ++c)
        values[c * NumG + k] = has ? weight(f, c, i) * residual(a, f, c, i) : Real(0);
    }
    __syncthreads();
    for (int k = threadIdx.x; k < NumF; k += BlockSize) {
      const int dx = k % FX, dy = k / FX % FY, dz = k / (FX * FY);
      const bool has = f.has(rx + dx, ry + dy, rz + dz);
      const int i = f.at(rx + dx, ry + dy, rz + dz);
      const Real* v = values + (dx + R) + GX * (dy + YRadius) + GX * GY * (dz + ZRadius);
#pragma unroll
      for (int c = 0; c < C; ++c) {
        // All loads at once, though some are in vain: none waits for another.
        Real rest_of = 0;
        if (has) {
          rest_of = residual(a, f, c, i) - product<Finest, GX, GX * GY, NumG>(a, f, c, i, v);
          rest_of = weight(f, c, i) > 0 ? rest_of : Real(0);
        }
        rest[c * NumF + k] = rest_of;
      }
    }
    __syncthreads();
    for (int k = threadIdx.x; k < C * NumT; k += BlockSize) {
      const int c = k / NumT, q = k % NumT;
      const int dx = q % TX, dy = q / TX % TY, dz = q / (TX * TY);
      const int x = x0 + dx, y = y0 + dy, z = z0 + dz;
      if (!g.has(x, y, z)) continue;
      const Real* around = rest + c * NumF + 2 * dx + FX * (D > 1 ? 2 * dy : 0) +
                           FX * FY * (D > 2 ? 2 * dz : 0);
      Real sum = 0;
#pragma unroll
      for (int pz = 0; pz < (D > 2 ? 3 : 1); ++pz)
#pragma unroll
        for (int py = 0; py < (D > 1 ? 3 : 1); ++py)
#pragma unroll
          for (int px = 0; px < 3; ++px) {
            Real w = share(px - 1, 0, x, g.nx);
            if (D > 1) w *= share(py - 1, 0, y, g.ny);
            if (D > 2) w *= share(pz - 1, 0, z, g.nz);
            sum += w * around[px + FX * py + FX * FY * pz];
          }
      g.residual[c * g.n + g.at(x, y, z)] = sum;
    }
    __syncthreads();
  }
}

// The coarse correction at a fine element.
Real prolonged(const Grid<false>& g, int c, int x, int y, int z) {
  const bool two_x = (x & 1) && x / 2 + 1 < g.nx, two_y = D > 1 && (y & 1) && y / 2 + 1 < g.ny,
             two_z = D > 2 && (z & 1) && z / 2 + 1 < g.nz;
  const Real* from = g.correction + c * g.n + g.at(x / 2, y / 2, z / 2);
  Real sum = 0;
#pragma unroll
  for (int k = 0; k < (1 << D); ++k)  // where there is no second one the first counts twice
    sum += from[g.at(k & 1 && two_x, k >> 1 & 1 && two_y, k >> 2 && two_z)];
  return sum * Real(1.0 / (1 << D));
}

template <bool Finest>
void go_up(const Args& a, int level, int first, int step) {
  const Grid<Finest> f(a, level);
  const Grid<false> g(a, level + 1);
  const int tiles_x = (f.nx + UX - 1) / UX, tiles_y = (f.ny + UY - 1) / UY;
  const int num_tiles = tiles_x * tiles_y * ((f.nz + UZ - 1) / UZ);
  for (int tile = first; tile < num_tiles; tile += step) {
    const int x0 = tile % tiles_x * UX, y0 = tile / tiles_x % tiles_y * UY,
              z0 = tile / tiles_x / tiles_y * UZ;
    for (int k = threadIdx.x; k < NumH; k += BlockSize) {
      const int x = x0 - R + k % HX, y = y0 - YRadius + k / HX % HY,
                z = z0 - ZRadius + k / (HX * HY);
      const bool has = f.has(x, y, z);
      const int i = f.at(x, y, z);
#pragma unroll
      for (int c = 0; c < C; ++c) {
        Real value = 0;
        if (has) {
          const Real w = weight(f, c, i);
          const Real coarse = prolonged(g, c, x, y, z);
          value = w * residual(a, f, c, i) + (w > 0 ? coarse : Real(0));
        }
        values[c * NumH + k] = value;
      }
    }
    __syncthreads();
    for (int k = threadIdx.x; k < UX * UY * UZ; k += BlockSize) {
      const int dx = k % UX, dy = k / UX % UY, dz = k / (UX * UY);
      if (!f.has(x0 + dx, y0 + dy, z0 + dz)) continue;
      const int i = f.at(x0 + dx, y0 + dy, z0 + dz);
      const Real* v = values + (dx + R) + HX * (dy + YRadius) + HX * HY * (dz + ZRadius);
#pragma unroll
      for (int c = 0; c < C; ++c) {
        const Real rest_of =
            residual(a, f, c, i) - product<Finest, HX, HX * HY, NumH>(a, f, c, i, v);
        store(a, f, c, i, v[c * NumH] + weight(f, c, i) * rest_of);
      }
    }
    __syncthreads();
  }
}

void go_down(const Args& a, int l, int first, int step) {
  if (l == 0) go_down<true>(a, l, first, step);
  else go_down<false>(a, l, first, step);
}
void go_up(const Args& a, int l, int first, int step) {
  if (l == 0) go_up<true>(a, l, first, step);
  else go_up<false>(a, l, first, step);
}
template <bool Finest>
void smooth(const Args& a, int l) {
  const Grid<Finest> g(a, l);
  for (int k = threadIdx.x; k < C; k += BlockSize)
    store(a, g, k, 0, weight(g, k, 0) * residual(a, g, k, 0));
}

extern "C" __global__ void __launch_bounds__(BlockSize, BlocksPerUnit)
    multigrid_cycle(const __grid_constant__ Args a) {
  wait_for_predecessor();
  if (is_closed(a)) return;
  const int last = int(a.num_levels) - 1;
  int alone = 0;  // the first level of the first block
  while (alone < last && C * a.level[alone].n > MostScalarsOfBlock) ++alone;
  for (int l = 0; l < alone; ++l) {
    go_down(a, l, blockIdx.x, gridDim.x);
    wait_for_all(a.arrivals);
  }
  if (blockIdx.x == 0) {
    for (int l = alone; l < last; ++l) go_down(a, l, 0, 1);
    if (last == 0) smooth<true>(a, last);
    else smooth<false>(a, last);
    __syncthreads();
    for (int l = last - 1; l >= alone; --l) go_up(a, l, 0, 1);
  }
  for (int l = alone - 1; l >= 0; --l) {
    wait_for_all(a.arrivals);
    go_up(a, l, blockIdx.x, gridDim.x);
  }
}
