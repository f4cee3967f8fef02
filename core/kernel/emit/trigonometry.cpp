#include "core/kernel/emit/trigonometry.h"

namespace thallo {

// The angle is x = quarters pi/2 + rest, |rest| <= pi/4, with pi/2 as a sum of three floats, and
// sine and cosine of the rest are polynomials: Lawson fits of the relative error.
std::string trigonometry_definitions() {
  return R"(struct Angle {
  float rest;
  int quarters;
};
__device__ __forceinline__ Angle angle_of(float x) {
  const float quarters = rintf(0.63661975f * x);
  float rest = fmaf(quarters, -1.5707964f, x);
  rest = fmaf(quarters, 4.371139e-8f, rest);
  rest = fmaf(quarters, 1.7151245e-15f, rest);
  return {rest, (int)quarters};
}
// sin(rest + quarters pi/2)
__device__ __forceinline__ float sine_of(Angle angle, int quarters) {
  const float r = angle.rest;
  const float u = r * r;
  const float s = fmaf(fmaf(fmaf(-0.00019516978f, u, 0.008332176f), u, -0.16666655f) * u, r, r);
  const float c = fmaf(fmaf(fmaf(fmaf(2.4438092e-5f, u, -0.0013887364f), u, 0.041666646f), u,
      -0.5f), u, 1.0f);
  const float value = (quarters & 1) != 0 ? c : s;
  return (quarters & 2) != 0 ? -value : value;
}
__device__ __noinline__ float sine_of_huge(float x) { return sinf(x); }
__device__ __noinline__ float cosine_of_huge(float x) { return cosf(x); }
__device__ __forceinline__ float sine(float x) {
  if (!(fabsf(x) <= 48000.0f)) return sine_of_huge(x);
  const Angle angle = angle_of(x);
  return sine_of(angle, angle.quarters);
}
__device__ __forceinline__ float cosine(float x) {
  if (!(fabsf(x) <= 48000.0f)) return cosine_of_huge(x);
  const Angle angle = angle_of(x);
  return sine_of(angle, angle.quarters + 1);
}

)";
}

}  // namespace thallo
