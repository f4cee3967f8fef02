#include "core/kernel/emit/helpers.h"

#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/kernel/emit/spelling.h"
#include "core/kernel/lanes.h"
#include "core/kernel/memory_type.h"

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

// How the dialect spells what the helpers are made of.
struct SampleSpelling {
  std::string_view qualifier;  // "static inline"
  std::string name;
  std::string_view texel;  // type of the images' scalars
  std::string_view real;   // compute type
  std::string_view floor;
  std::string zero, one, infinity;
};

constexpr std::string_view ImageText =
    "// Bilinear; texels outside are 0, texels of weight 0 are not read; NaN at NaN.\n"
    "{qualifier} {real} {name}(const {texel}* image, idx_t width, idx_t height,\n"
    "    int channels, int channel, {real} x, {real} y) {{\n"
    "  if (!(x > -{one} && x < ({real})width && y > -{one} && y < ({real})height))\n"
    "    return x == x && y == y ? {zero} : x + y;\n"
    "  const idx_t x0 = (idx_t){floor}(x), y0 = (idx_t){floor}(y);\n"
    "  const {real} wx = x - ({real})x0, wy = y - ({real})y0;\n"
    "  const bool left = x0 >= 0, right = x0 + 1 < width && wx > {zero};\n"
    "  const bool top = y0 >= 0, bottom = y0 + 1 < height && wy > {zero};\n"
    "  const {texel}* texel = image + channel;\n"
    "  const idx_t k = x0 + width * y0;\n"
    "  {real} sum = {zero};\n"
    "  if (left && top) sum += ({one} - wx) * ({one} - wy) * ({real})texel[channels * k];\n"
    "  if (right && top) sum += wx * ({one} - wy) * ({real})texel[channels * (k + 1)];\n"
    "  if (left && bottom) "
    "sum += ({one} - wx) * wy * ({real})texel[channels * (k + width)];\n"
    "  if (right && bottom) sum += wx * wy * ({real})texel[channels * (k + width + 1)];\n"
    "  return sum;\n"
    "}}\n\n";

constexpr std::string_view LayerText =
    "// Bilinear in one layer; texels outside and those with -infinity in channel 0 do not count.\n"
    "// NaN at NaN.\n"
    "{qualifier} {real} {name}(const {texel}* image, idx_t width, idx_t height, idx_t layers,\n"
    "    int channels, int channel, {real} x, {real} y, {real} layer) {{\n"
    "  const {real} nothing = -{infinity};\n"
    "  if (!(x > -{one} && x < ({real})width && y > -{one} && y < ({real})height && "
    "layer >= {zero} && layer < ({real})layers))\n"
    "    return x == x && y == y && layer == layer ? nothing : x + y + layer;\n"
    "  const idx_t x0 = (idx_t){floor}(x), y0 = (idx_t){floor}(y);\n"
    "  const {real} wx = x - ({real})x0, wy = y - ({real})y0;\n"
    "  {real} sum = {zero}, weight = {zero};\n"
    "  for (int j = 0; j < 2; ++j) {{\n"
    "    const idx_t row = y0 + j;\n"
    "    const {real} row_weight = j == 0 ? {one} - wy : wy;\n"
    "    if (row < 0 || row >= height || row_weight == {zero}) continue;\n"
    "    {real} row_sum = {zero}, texel_weights = {zero};\n"
    "    for (int i = 0; i < 2; ++i) {{\n"
    "      const idx_t column = x0 + i;\n"
    "      const {real} texel_weight = i == 0 ? {one} - wx : wx;\n"
    "      if (column < 0 || column >= width || texel_weight == {zero}) continue;\n"
    "      const {texel}* texel =\n"
    "          image + channels * (column + width * (row + height * (idx_t)layer));\n"
    "      if (({real})texel[0] == nothing) continue;\n"
    "      row_sum += texel_weight * ({real})texel[channel];\n"
    "      texel_weights += texel_weight;\n"
    "    }}\n"
    "    if (texel_weights == {zero}) continue;\n"
    "    sum += row_weight * row_sum / texel_weights;\n"
    "    weight += row_weight;\n"
    "  }}\n"
    "  return weight == {zero} ? nothing : sum / weight;\n"
    "}}\n\n";

// real NAME(const texel* image, width, height, [layers,] channels, channel, x, y [, layer])
std::string sample_definition(SampleKind kind, const SampleSpelling& s) {
  return fmt::format(fmt::runtime(kind == SampleKind::Layer ? LayerText : ImageText),
                     fmt::arg("qualifier", s.qualifier), fmt::arg("name", s.name),
                     fmt::arg("texel", s.texel), fmt::arg("real", s.real),
                     fmt::arg("floor", s.floor), fmt::arg("zero", s.zero), fmt::arg("one", s.one),
                     fmt::arg("infinity", s.infinity));
}

constexpr const char* WarpAdds =
    "// Do all 32 lanes add to one element? Then their sum is added by one of them.\n"
    "__device__ __forceinline__ bool same_in_warp(idx_t element) {\n"
    "  const unsigned int lanes = __activemask();\n"
    "  return lanes == 0xffffffffu &&\n"
    "         __all_sync(lanes, element == __shfl_sync(lanes, element, 0));\n"
    "}\n\n"
    "template <class T>\n"
    "__device__ __forceinline__ void add_in_warp(T* to, T value, bool same) {\n"
    "  if (same) {\n"
    "    for (int offset = 16; offset > 0; offset >>= 1) {\n"
    "      value += __shfl_xor_sync(0xffffffffu, value, offset);\n"
    "    }\n"
    "    if ((threadIdx.x & 31) == 0 && value != 0) atomicAdd(to, value);\n"
    "  } else if (value != 0) {\n"
    "    atomicAdd(to, value);\n"
    "  }\n"
    "}\n\n";

// load_lanes() and store_lanes(), the vector accesses of elementwise sections (lanes.h). The last
// thread of a launch may have fewer points than lanes.
std::string lane_helpers(std::string_view real, int count) {
  const std::string vector = fmt::format("{}{}", real, count);
  const std::string lanes = count == 2 ? "{w.x, w.y}" : "{w.x, w.y, w.z, w.w}";
  const std::string values = count == 2 ? "v[0], v[1]" : "v[0], v[1], v[2], v[3]";
  return fmt::format(
      "__device__ __forceinline__ void load_lanes({0} (&v)[{4}], const {0}* from, uidx_t count) "
      "{{\n"
      "  if (count == {4}) {{\n"
      "    const {1} w = *(const {1}*)from;\n"
      "    const {0} all[{4}] = {2};\n"
      "    for (int lane = 0; lane < {4}; ++lane) v[lane] = all[lane];\n"
      "  }} else {{\n"
      "    for (int lane = 0; lane < {4}; ++lane) v[lane] = lane < count ? from[lane] : 0;\n"
      "  }}\n"
      "}}\n\n"
      "__device__ __forceinline__ void store_lanes({0}* to, const {0} (&v)[{4}], uidx_t count) {{\n"
      "  if (count == {4}) {{\n"
      "    *({1}*)to = make_{1}({3});\n"
      "  }} else {{\n"
      "    for (int lane = 0; lane < {4}; ++lane) {{\n"
      "      if (lane < count) to[lane] = v[lane];\n"
      "    }}\n"
      "  }}\n"
      "}}\n\n",
      real, vector, lanes, values, count);
}

std::string vector_add_definitions(int width) {
  const auto each = [width](std::string_view line) {
    std::string text;
    for (int c = 0; c < width; ++c) text += fmt::format(fmt::runtime(line), "xyzw"[c]);
    return text;
  };
  return fmt::format(
      "__device__ __forceinline__ void add_vector(float{0}* to, float{0} v) {{\n"
      "#if __CUDA_ARCH__ >= 900\n"
      "  atomicAdd(to, v);\n"
      "#else\n"
      "{1}"
      "#endif\n"
      "}}\n"
      "__device__ __forceinline__ void add_vector_in_warp(float{0}* to, float{0} v, bool same) {{\n"
      "  if (same) {{\n"
      "    for (int offset = 16; offset > 0; offset >>= 1) {{\n"
      "{2}"
      "    }}\n"
      "    if ((threadIdx.x & 31) != 0) return;\n"
      "  }}\n"
      "  add_vector(to, v);\n"
      "}}\n\n",
      width, each("  atomicAdd(&to->{0}, v.{0});\n"),
      each("      v.{0} += __shfl_xor_sync(0xffffffffu, v.{0}, offset);\n"));
}

std::string opaque_definition(int index_bits) {
  return fmt::format(
      "// The same index; the compiler does not follow it.\n"
      "__device__ __forceinline__ idx_t opaque(idx_t index) {{\n"
      "  asm(\"\" : \"+{}\"(index));\n"
      "  return index;\n"
      "}}\n\n",
      index_bits == 64 ? 'l' : 'r');
}

// x^exponent by squares of squares: the factors are the binary digits of the exponent.
std::string power_definition(const char* qualifier, int exponent, bool is_double) {
  const auto real = real_name(is_double);
  std::string text =
      fmt::format("{} {} power{}_{}({} x) {{\n", qualifier, real, exponent, real, real);
  std::string product = (exponent & 1) != 0 ? "x" : "";
  for (int bit = 1; (exponent >> bit) != 0; ++bit) {
    const std::string below = bit == 1 ? "x" : fmt::format("x{}", 1 << (bit - 1));
    text += fmt::format("  const {} x{} = {} * {};\n", real, 1 << bit, below, below);
    if (((exponent >> bit) & 1) != 0) {
      product += fmt::format("{}x{}", product.empty() ? "" : " * ", 1 << bit);
    }
  }
  text += fmt::format("  return {};\n}}\n\n", product);
  return text;
}

std::string root_power_name(int whole, int sixths, bool is_double) {
  const int divisor = std::gcd(sixths, 6);
  return fmt::format("power{}_{}_{}", (6 * whole + sixths) / divisor, 6 / divisor,
                     real_name(is_double));
}

std::string root_power_definition(Dialect dialect, const char* qualifier, int whole, int sixths,
                                  bool is_double) {
  const std::string_view suffix = is_double ? "" : "f";
  const std::string square_root = fmt::format("sqrt{}(x)", suffix);
  const std::string cube_root = fmt::format("cbrt{}(x)", suffix);
  std::string product;
  switch (sixths) {
    case 1: product = fmt::format("sqrt{}({})", suffix, cube_root); break;
    case 2: product = cube_root; break;
    case 3: product = square_root; break;
    case 4: product = fmt::format("{0} * {0}", cube_root); break;
    case 5: product = fmt::format("{} * {}", square_root, cube_root); break;
    default: THALLO_UNREACHABLE();
  }
  const auto real = real_name(is_double);
  if (whole > 1) product = fmt::format("power{}_{}(x) * {}", whole, real, product);
  if (whole == 1) product = "x * " + product;
  // A cube root alone is a number below 0, too.
  if (sixths % 2 == 0) {
    product = fmt::format("x < {} ? {} : {}", literal(dialect, 0, is_double),
                          literal(dialect, std::nan(""), is_double), product);
  }
  return fmt::format("{} {} {}({} x) {{ return {}; }}\n\n", qualifier, real,
                     root_power_name(whole, sixths, is_double), real, product);
}

// Says which functions have vector variants, in the libmvec of GNU's C library from some version
// on. Its headers say so only to programs that give up the standard's rules for floating-point
// numbers. A variant is off by up to four units in the last place.
std::string vector_function_declarations(const std::set<std::pair<Op, bool>>& functions) {
  const auto is_early = [](Op op) {
    return op == Op::Sin || op == Op::Cos || op == Op::Exp || op == Op::Log || op == Op::Pow;
  };
  std::map<int, std::string> by_version;
  for (const auto& [op, is_double] : functions) {
    const auto real = real_name(is_double);
    by_version[is_early(op) ? 22 : 35] += fmt::format(
        "#pragma omp declare simd notinbranch\n{} {}{}({}{});\n", real, info(op).text,
        is_double ? "" : "f", real, info(op).num_operands == 2 ? fmt::format(", {}", real) : "");
  }
  std::string text;
  for (const auto& [version, declarations] : by_version) {
    text += fmt::format(
        "#if defined(__x86_64__) && defined(__GLIBC__) && __GLIBC__ == 2 && __GLIBC_MINOR__ >= {}\n"
        "{}#endif\n\n",
        version, declarations);
  }
  return text;
}

std::string sample_name(SampleKind kind, ScalarType texel) {
  return fmt::format("sample_{}{}", kind == SampleKind::Layer ? "layer_" : "",
                     texel == ScalarType::UInt8 ? "byte" : memory_name(texel));
}

}  // namespace

std::string half_definitions(Dialect dialect) {
  return dialect == Dialect::Cuda ? CudaHalves : CHalves;
}

std::string Helpers::power_function(int exponent, bool is_double) {
  powers_.insert({exponent, is_double});
  return fmt::format("power{}_{}", exponent, real_name(is_double));
}

std::string Helpers::root_power_function(const RootPower& power, bool is_double) {
  if (power.whole > 1) power_function(power.whole, is_double);
  root_powers_.insert({power.whole, power.sixths, is_double});
  return root_power_name(power.whole, power.sixths, is_double);
}

std::string Helpers::sample_function(SampleKind kind, ScalarType texel) {
  samplers_.insert({kind, texel});
  return sample_name(kind, texel);
}

std::string Helpers::opaque_index(std::string_view index) {
  opaque_indices_ = true;
  return fmt::format("opaque({})", index);
}

std::string Helpers::shared_function(std::string_view function, std::size_t num_arguments,
                                     bool is_double) {
  shared_functions_[std::string(function)] = {num_arguments, is_double};
  return fmt::format("shared_{}", function);
}

std::string Helpers::definitions() const {
  const char* qualifier =
      dialect_ == Dialect::Cuda ? "__device__ __forceinline__" : "static inline";
  std::string text;
  text += vector_function_declarations(vector_functions_);
  if (warp_adds_) text += WarpAdds;
  if (opaque_indices_) text += opaque_definition(index_bits_);
  for (const int width : vector_adds_) text += vector_add_definitions(width);
  if (trigonometry_) text += trigonometry_definitions();
  for (const auto& [function, shared] : shared_functions_) {
    const std::string_view real = real_name(shared.is_double);
    const bool is_binary = shared.num_arguments == 2;
    text += fmt::format(
        "__device__ __noinline__ {0} shared_{1}({0} x{2}) {{ return {1}(x{3}); }}\n", real,
        function, is_binary ? fmt::format(", {} y", real) : "", is_binary ? ", y" : "");
  }
  if (!shared_functions_.empty()) text += "\n";
  const int num_lanes =
      LaneBytes / static_cast<int>(size_of(memory_type(ScalarType::Working, precision_)));
  for (const ScalarType type : lane_types_) text += lane_helpers(memory_name(type), num_lanes);
  for (const auto& [exponent, is_double] : powers_)
    text += power_definition(qualifier, exponent, is_double);
  for (const auto& [whole, sixths, is_double] : root_powers_)
    text += root_power_definition(dialect_, qualifier, whole, sixths, is_double);
  for (const auto& [kind, texel] : samplers_) {
    text += sample_definition(kind, {.qualifier = qualifier,
                                     .name = sample_name(kind, texel),
                                     .texel = memory_name(texel),
                                     .real = real_name(real_is_double_),
                                     .floor = real_is_double_ ? "floor" : "floorf",
                                     .zero = literal(dialect_, 0, real_is_double_),
                                     .one = literal(dialect_, 1, real_is_double_),
                                     .infinity = literal(dialect_, HUGE_VAL, real_is_double_)});
  }
  return text;
}

}  // namespace thallo
