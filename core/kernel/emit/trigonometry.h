#pragma once

// Sine and cosine in float for the CUDA dialect. The library's sinf and cosf each reduce the angle
// by themselves and carry the reduction of huge angles into every kernel. These share the reduction
// when both are taken of one angle (they are inlined, and the compiler sees equal code), and call
// the library beyond 48000 radians. At most 1.5 ulp off, 7e-8 absolutely.

#include <string>

namespace thallo {

inline constexpr const char* FastSine = "sine";
inline constexpr const char* FastCosine = "cosine";
std::string trigonometry_definitions();

}  // namespace thallo
