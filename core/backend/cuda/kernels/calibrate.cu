// The kernels that calibrate.h times. `count` is the number of items of all threads together or, for
// arithmetic, of each thread. Sums are stored only under a condition that never holds, but which the
// compiler cannot evaluate, so it cannot drop the work.

struct Args {
  const float4* in;
  float4* out;
  long long count;
  long long range;
};
extern "C" __device__ void cudaGraphSetConditional(unsigned long long handle, unsigned int value);

// A well mixed index below `range`.
__device__ unsigned int scattered(unsigned int i, unsigned int range) {
  i ^= i >> 16;
  i *= 0x7feb352du;
  i ^= i >> 15;
  i *= 0x846ca68bu;
  i ^= i >> 16;
  return __umulhi(i, range);
}

extern "C" __global__ void empty(const Args a) { wait_for_predecessor(); }

// Begins a loop of `count` turns.
extern "C" __global__ void set(const Args a) {
  wait_for_predecessor();
  if (threadIdx.x == 0) *(long long*)a.out = a.count;
}

// The only kernel of a turn; decides whether another one follows.
extern "C" __global__ void turn(const Args a) {
  wait_for_predecessor();
  if (threadIdx.x != 0) return;
  const long long left = --*(long long*)a.out;
  cudaGraphSetConditional((unsigned long long)a.range, left > 0 ? 1u : 0u);
}

// As many passes as `range` says; they read past the first cache, which other passes may have
// filled.
extern "C" __global__ void copy(const Args a) {
  const long long step = (long long)gridDim.x * blockDim.x;
  for (long long pass = 0; pass < a.range; ++pass) {
    for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < a.count; i += step) {
      a.out[i] = __ldcg(a.in + i);
    }
  }
}

extern "C" __global__ void read(const Args a) {
  const long long step = (long long)gridDim.x * blockDim.x;
  float sum = 0.0f;
  for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < a.count; i += step) {
    const float4 v = a.in[i];
    sum += v.x + v.y + v.z + v.w;
  }
  if (sum == -1.0f) a.out[0].x = sum;
}

// Records of two float4 at random places.
extern "C" __global__ void gather(const Args a) {
  const long long step = (long long)gridDim.x * blockDim.x;
  float sum = 0.0f;
  for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < a.count; i += step) {
    const unsigned int record = scattered((unsigned int)i, (unsigned int)a.range);
    const float4 u = a.in[2 * (long long)record];
    const float4 v = a.in[2 * (long long)record + 1];
    sum += u.x + u.y + u.z + u.w + v.x + v.y + v.z + v.w;
  }
  if (sum == -1.0f) a.out[0].x = sum;
}

// One thread loads `count` words at random places, each of which the one before has to say.
extern "C" __global__ void chase(const Args a) {
  if (blockIdx.x != 0 || threadIdx.x != 0) return;
  const unsigned int* const words = (const unsigned int*)a.in;
  unsigned int at = 0;
  for (long long i = 0; i < a.count; ++i) {
    at = scattered((unsigned int)i + words[at], (unsigned int)a.range);  // the words are 0
  }
  if (at == ~0u) a.out[0].x = 1.0f;
}

extern "C" __global__ void atomic(const Args a) {
  const long long step = (long long)gridDim.x * blockDim.x;
  float* target = &a.out[0].x;
  for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < a.count; i += step) {
    atomicAdd(target + scattered((unsigned int)i, (unsigned int)a.range), 1.0f);
  }
}

// Each thread adds to an address of its own.
extern "C" __global__ void private_add(const Args a) {
  const long long step = (long long)gridDim.x * blockDim.x;
  const long long first = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  float* target = &a.out[0].x + first;
  for (long long i = first; i < a.count; i += step) atomicAdd(target, 1.0f);
}

// `count` rounds of eight independent fused multiply-adds a thread.
template <class T>
__device__ void multiply_add(const Args& a) {
  T x[8];
  for (int k = 0; k < 8; ++k) x[k] = T(threadIdx.x + k);
  for (long long i = 0; i < a.count; ++i) {
#pragma unroll
    for (int k = 0; k < 8; ++k) x[k] = x[k] * T(0.999) + T(0.5);
  }
  T sum = 0;
  for (int k = 0; k < 8; ++k) sum += x[k];
  if (sum == T(-1)) a.out[0].x = float(sum);
}
extern "C" __global__ void flops_float(const Args a) { multiply_add<float>(a); }
extern "C" __global__ void flops_double(const Args a) { multiply_add<double>(a); }

// `count` rounds of four independent sines a thread.
template <class T>
__device__ void sines(const Args& a) {
  T x[4];
  for (int k = 0; k < 4; ++k) x[k] = T(threadIdx.x % 3 + k);
  for (long long i = 0; i < a.count; ++i) {
#pragma unroll
    for (int k = 0; k < 4; ++k) x[k] = sin(x[k]) + T(1);
  }
  T sum = 0;
  for (int k = 0; k < 4; ++k) sum += x[k];
  if (sum == T(-1)) a.out[0].x = float(sum);
}
extern "C" __global__ void sines_float(const Args a) { sines<float>(a); }
extern "C" __global__ void sines_double(const Args a) { sines<double>(a); }
