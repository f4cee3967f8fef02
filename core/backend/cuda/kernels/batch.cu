// The kernels that begin, time and end a batch (batch_marks.h); each runs as one block.

typedef unsigned long long Word;

// In nanoseconds; never 0.
__device__ Word now() {
  Word time;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(time) :: "memory");
  return time;
}

struct BeginArgs {
  Word* state;
  const volatile Word* from;  // of the host
  Word state_words;
  Word* times;
  Word time_words;
};

extern "C" __global__ void begin(const BeginArgs a) {
  wait_for_predecessor();
  for (Word i = threadIdx.x; i < a.state_words; i += blockDim.x) a.state[i] = a.from[i];
  for (Word i = threadIdx.x; i < a.time_words; i += blockDim.x) a.times[i] = i == 0 ? now() : 0;
}

struct MarkArgs {
  Word* time;
};

extern "C" __global__ void mark(const MarkArgs a) {
  wait_for_predecessor();
  if (threadIdx.x == 0) *a.time = now();
}

struct EndArgs {
  const Word* state;
  Word state_words;
  const Word* times;
  Word time_words;
  volatile Word* to;  // of the host: the state, the times and, written last, the time of the end
};

extern "C" __global__ void end(const EndArgs a) {
  wait_for_predecessor();
  for (Word i = threadIdx.x; i < a.state_words; i += blockDim.x) a.to[i] = a.state[i];
  for (Word i = threadIdx.x; i < a.time_words; i += blockDim.x)
    a.to[a.state_words + i] = a.times[i];
  __threadfence_system();
  __syncthreads();
  if (threadIdx.x == 0) a.to[a.state_words + a.time_words] = now();
}
