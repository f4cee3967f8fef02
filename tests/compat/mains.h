// The programs in C for the tests.
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

// Smooth an image of width x height values, in place, by the energy in the file: init, then a step
// at a time with the weight doubled after each. Returns the number of steps that were made, or -1
// without a plan.
int smooth_by_thallo(const char* file, float* image, const float* noisy, unsigned width,
                     unsigned height, int iterations, double* cost);
// The same by one solve with the weight `weight`.
int smooth_by_opt(const char* file, float* image, const float* noisy, unsigned width,
                  unsigned height, float weight, double* cost);

#ifdef __cplusplus
}
#endif
