#pragma once

// The helper functions that sample images between their texels, as text (Op::Sample,
// Op::SampleLayer).

#include <string>
#include <string_view>

namespace thallo {

enum class SampleKind { Image, Layer };

// How the dialect spells what the helpers are made of.
struct SampleSpelling {
  std::string_view qualifier;  // "static inline"
  std::string name;
  std::string_view texel;  // type of the images' scalars
  std::string_view real;   // compute type
  std::string_view floor;
  std::string zero, one, infinity;
};

// real NAME(const texel* image, width, height, [layers,] channels, channel, x, y [, layer])
std::string sample_definition(SampleKind kind, const SampleSpelling& spelling);

}  // namespace thallo
