/* The functions that calibrate.h times: each processes the items from `begin` to `end`, which several
   threads share. Sums are stored only under a condition that never holds, but which the compiler
   cannot evaluate, so it cannot drop the work. */
#include <math.h>

struct Args {
  float* in;
  float* out;
  long long range;  /* records of a table, addresses of additions */
  long long shift;  /* of the places that are drawn */
};

#define PROBE(name) void name(const struct Args* a, long long begin, long long end)

/* A well mixed index below `range`. */
static unsigned int scattered(unsigned int i, unsigned int range) {
  i ^= i >> 16;
  i *= 0x7feb352du;
  i ^= i >> 15;
  i *= 0x846ca68bu;
  i ^= i >> 16;
  return (unsigned int)(((unsigned long long)i * range) >> 32);
}

/* Adds, lest the compiler call memcpy, whose stores go round the caches. */
PROBE(copy) {
  float* const in = a->in;
  float* const out = a->out;
  for (long long i = begin; i < end; ++i) out[i] = in[i] + 1.0f;
}

/* Items are groups of 32 values, added up apart from each other. */
PROBE(read) {
  float sums[32] = {0};
  for (long long i = begin; i < end; ++i) {
    for (int k = 0; k < 32; ++k) sums[k] += a->in[32 * i + k];
  }
  for (int k = 0; k < 32; ++k) {
    if (sums[k] == -1.0f) a->out[0] = sums[k];
  }
}

/* Records of eight values at random places. */
PROBE(gather) {
  float sums[8] = {0};
  const unsigned int range = (unsigned int)a->range;
  for (long long i = begin; i < end; ++i) {
    const float* const record = a->in + 8ull * scattered((unsigned int)(i + a->shift), range);
    for (int k = 0; k < 8; ++k) sums[k] += record[k];
  }
  for (int k = 0; k < 8; ++k) {
    if (sums[k] == -1.0f) a->out[0] = sums[k];
  }
}

/* Items are loads at random places, each of which the one before has to say: the values are 0. */
PROBE(chase) {
  const unsigned int range = (unsigned int)a->range;
  unsigned int at = 0;
  for (long long i = begin; i < end; ++i) {
    at = scattered((unsigned int)i + (unsigned int)a->in[at], range);
  }
  if (at == ~0u) a->out[0] = 1.0f;
}

PROBE(add) {
  float* const out = a->out;
  const unsigned int range = (unsigned int)a->range;
  for (long long i = begin; i < end; ++i) out[scattered((unsigned int)i, range)] += 1.0f;
}

/* An item is a fused multiply-add of each of 384 bytes of values: 12 vectors of AVX2 stay in
   registers and hide the latency. */
#define FLOPS(T)                                                        \
  PROBE(flops_##T) {                                                    \
    enum { Count = 384 / sizeof(T) };                                   \
    T x[Count];                                                         \
    for (int k = 0; k < Count; ++k) x[k] = (T)k;                        \
    for (long long i = begin; i < end; ++i) {                           \
      for (int k = 0; k < Count; ++k) x[k] = x[k] * (T)0.999 + (T)0.5;  \
    }                                                                   \
    for (int k = 0; k < Count; ++k) {                                   \
      if (x[k] == (T)-1) a->out[0] = (float)x[k];                       \
    }                                                                   \
  }
FLOPS(float)
FLOPS(double)

/* An item is eight sines. */
#define SINES(T, sine)                                     \
  PROBE(sines_##T) {                                       \
    T x[8];                                                \
    for (int k = 0; k < 8; ++k) x[k] = (T)k;               \
    for (long long i = begin; i < end; ++i) {              \
      for (int k = 0; k < 8; ++k) x[k] = sine(x[k]) + (T)1; \
    }                                                      \
    for (int k = 0; k < 8; ++k) {                          \
      if (x[k] == (T)-1) a->out[0] = (float)x[k];          \
    }                                                      \
  }
SINES(float, sinf)
SINES(double, sin)
