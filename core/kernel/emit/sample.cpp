#include "core/kernel/emit/sample.h"

#include <fmt/format.h>

namespace thallo {
namespace {

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

}  // namespace

std::string sample_definition(SampleKind kind, const SampleSpelling& s) {
  return fmt::format(fmt::runtime(kind == SampleKind::Layer ? LayerText : ImageText),
                     fmt::arg("qualifier", s.qualifier), fmt::arg("name", s.name),
                     fmt::arg("texel", s.texel), fmt::arg("real", s.real),
                     fmt::arg("floor", s.floor), fmt::arg("zero", s.zero), fmt::arg("one", s.one),
                     fmt::arg("infinity", s.infinity));
}

}  // namespace thallo
