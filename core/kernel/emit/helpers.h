// The helper functions of one kernel's text: a mention records that the text needs a helper, and
// definitions() writes those that were mentioned. Private to emission.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "core/ir/op.h"
#include "core/kernel/emit.h"
#include "core/kernel/power.h"
#include "core/schedule/precision.h"

namespace thallo {

enum class SampleKind { Image, Layer };  // Op::Sample, Op::SampleLayer

// Sine and cosine in float for the CUDA dialect. The library's sinf and cosf each reduce the angle
// by themselves and carry the reduction of huge angles into every kernel. These share the reduction
// when both are taken of one angle (they are inlined, and the compiler sees equal code), and call
// the library beyond 48000 radians. At most 1.5 ulp off, 7e-8 absolutely.
inline constexpr const char* FastSine = "sine";
inline constexpr const char* FastCosine = "cosine";

// Numbers of 16 bits: memory of type half_t, loaded by from_half() and stored by to_half(), which
// convert from and to float.
std::string half_definitions(Dialect dialect);  // the type and the two functions
inline std::string from_half(const std::string& text) { return "from_half(" + text + ")"; }
inline std::string to_half(const std::string& text) { return "to_half(" + text + ")"; }

class Helpers {
 public:
  // `real_is_double`: the kernel's compute type.
  Helpers(const EmitOptions& options, bool real_is_double)
      : dialect_(options.dialect),
        precision_(options.precision),
        index_bits_(options.index_bits),
        real_is_double_(real_is_double) {}

  // Names of functions.
  std::string power_function(int exponent, bool is_double);  // exponent >= 2
  // x^(whole + sixths / 6). Dialect C has those of square roots only.
  std::string root_power_function(const RootPower& power, bool is_double);
  std::string sample_function(SampleKind kind, ScalarType texel);
  // The same index, of which the compiler does not know how it comes about: for architectures below
  // sm_100 NVRTC 13.0 ends with a segmentation fault in some loops in which an index that runs
  // backwards exists for some points alone.
  std::string opaque_index(std::string_view index);
  // CUDA: a function that calls another of so many numbers, and is never inlined.
  std::string shared_function(std::string_view function, std::size_t num_arguments, bool is_double);

  void use_warp_adds() { warp_adds_ = true; }
  void use_vector_adds(int width) { vector_adds_.insert(width); }
  void use_trigonometry() { trigonometry_ = true; }
  // Dialect C: the function is called in a loop that is to be vectorized.
  void use_vector_function(Op op, bool is_double) { vector_functions_.insert({op, is_double}); }
  void use_lanes(ScalarType type) { lane_types_.insert(type); }

  std::string definitions() const;

 private:
  Dialect dialect_;
  Precision precision_;
  int index_bits_;
  bool real_is_double_;

  bool warp_adds_ = false;
  bool trigonometry_ = false;
  bool opaque_indices_ = false;
  std::set<int> vector_adds_;                         // widths
  std::set<ScalarType> lane_types_;                   // loaded or stored in lanes
  std::set<std::pair<int, bool>> powers_;             // exponent, is_double
  std::set<std::tuple<int, int, bool>> root_powers_;  // whole, sixths, is_double
  std::set<std::pair<Op, bool>> vector_functions_;    // is_double
  std::set<std::pair<SampleKind, ScalarType>> samplers_;
  struct SharedFunction {
    std::size_t num_arguments = 0;
    bool is_double = false;
  };
  std::map<std::string, SharedFunction> shared_functions_;  // by the function they call
};

}  // namespace thallo
