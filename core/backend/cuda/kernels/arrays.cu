// Copies and inspects arrays of a program in device memory (array_kernels.h), which puts MAX_RANK,
// BLOCK_SIZE and the numbers of the types in front of this text.

struct Layout {
  char* address;
  long long type;
  long long rank;
  long long extents[MAX_RANK];
  long long strides[MAX_RANK];
};

// Where value i is, in values from the address.
__device__ long long place(const Layout& a, long long i) {
  long long result = 0;
  for (int d = 0; d + 1 < a.rank; ++d) {
    result += i % a.extents[d] * a.strides[d];
    i /= a.extents[d];
  }
  return a.rank > 0 ? result + i * a.strides[a.rank - 1] : 0;
}

__device__ double load(const Layout& a, long long i) {
  const long long at = place(a, i);
  switch (a.type) {
    case FLOAT: return ((const float*)a.address)[at];
    case DOUBLE: return ((const double*)a.address)[at];
    case INT32: return ((const int*)a.address)[at];
    default: return ((const unsigned char*)a.address)[at];
  }
}

__device__ void store(const Layout& a, long long i, double value) {
  const long long at = place(a, i);
  switch (a.type) {
    case FLOAT: ((float*)a.address)[at] = float(value); break;
    case DOUBLE: ((double*)a.address)[at] = value; break;
    case INT32: ((int*)a.address)[at] = int(value); break;
    default: ((unsigned char*)a.address)[at] = (unsigned char)value;
  }
}

struct CopyArgs {
  Layout from, to;
  long long count;
};
struct InspectArgs {
  Layout array;
  long long count;
  double least, largest;
  long long needs_integers, allows_nan;
  double quaternion_tolerance;
  unsigned long long* facts;
};

extern "C" __global__ void __launch_bounds__(BLOCK_SIZE) copy(const CopyArgs a) {
  const long long step = (long long)gridDim.x * BLOCK_SIZE;
  for (long long i = (long long)blockIdx.x * BLOCK_SIZE + threadIdx.x; i < a.count; i += step)
    store(a.to, i, load(a.from, i));
}

// A well mixed number: neighboring arguments have unrelated results.
__device__ unsigned long long mixed(unsigned long long n) {
  n = (n ^ (n >> 30)) * 0xbf58476d1ce4e5b9ull;
  n = (n ^ (n >> 27)) * 0x94d049bb133111ebull;
  return n ^ (n >> 31);
}

__device__ bool is_usable(const InspectArgs& a, long long i, double value) {
  if (isnan(value)) return a.allows_nan != 0 && a.needs_integers == 0;
  if (isfinite(value) && (value < a.least || value > a.largest)) return false;
  if (a.needs_integers != 0) return isfinite(value) && value == floor(value);
  if (a.quaternion_tolerance == 0 || i % 7 != 3) return true;
  double square = 0;
  for (int c = 0; c < 4; ++c) square += load(a.array, i + c) * load(a.array, i + c);
  return fabs(square - 1) <= a.quaternion_tolerance;
}

extern "C" __global__ void __launch_bounds__(BLOCK_SIZE) inspect(const InspectArgs a) {
  __shared__ unsigned long long fingerprint;
  if (threadIdx.x == 0) fingerprint = 0;
  unsigned long long sum = 0;
  bool all_usable = true;
  const long long step = (long long)gridDim.x * BLOCK_SIZE;
  for (long long i = (long long)blockIdx.x * BLOCK_SIZE + threadIdx.x; i < a.count; i += step) {
    const double value = load(a.array, i);
    all_usable = all_usable && is_usable(a, i, value);
    sum += mixed(mixed(i) ^ __double_as_longlong(value));
  }
  all_usable = __syncthreads_and(all_usable) != 0;
  atomicAdd(&fingerprint, sum);
  __syncthreads();
  if (threadIdx.x != 0) return;
  atomicAdd(a.facts, fingerprint);
  if (!all_usable) atomicAdd(a.facts + 1, 1ull);
}
