#include "core/kernel/emit/half.h"

namespace thallo {
namespace {

// gcc and clang define this macro where they have the type.
constexpr const char* CHalves =
    "#ifndef __FLT16_MANT_DIG__\n"
    "#error \"no _Float16: precision(half) needs gcc 12 or clang 15, or precision(single)\"\n"
    "#endif\n"
    "typedef _Float16 half_t;\n"
    "static inline float from_half(half_t h) { return (float)h; }\n"
    "static inline half_t to_half(float x) { return (half_t)x; }\n\n";

// NVRTC has no cuda_fp16.h without an include path.
constexpr const char* CudaHalves =
    "typedef unsigned short half_t;\n\n"
    "__device__ __forceinline__ float from_half(half_t h) {\n"
    "  float x;\n"
    "  asm(\"cvt.f32.f16 %0, %1;\" : \"=f\"(x) : \"h\"(h));\n"
    "  return x;\n"
    "}\n\n"
    "__device__ __forceinline__ half_t to_half(float x) {\n"
    "  half_t h;\n"
    "  asm(\"cvt.rn.f16.f32 %0, %1;\" : \"=h\"(h) : \"f\"(x));\n"
    "  return h;\n"
    "}\n\n";

}  // namespace

std::string half_definitions(Dialect dialect) {
  return dialect == Dialect::Cuda ? CudaHalves : CHalves;
}

}  // namespace thallo
