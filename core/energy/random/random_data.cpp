#include "core/energy/random/random_data.h"

#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.h"

namespace thallo::random_energy {
namespace {

using Extents = std::map<std::string, std::int64_t>;

constexpr double Jitter = 0.03;  // around multiples of Grid

void expect(const Expected<void>& done) {
  if (!done) throw InternalError(done.error().message(), __FILE__, __LINE__);
}

Extents random_extents(Draws& draws) {
  Extents extents;
  constexpr std::pair<const char*, int> Most[] = {{"W", 4}, {"H", 3}, {"N", 5},
                                                  {"E", 6}, {"F", 4}, {"K", 3}};
  for (const auto& [name, most] : Most) extents[name] = draws.between(1, most);
  if (!draws.chance(0.15)) return extents;
  switch (draws.between(0, 3)) {
    case 0: extents["K"] = 0; break;
    case 1: extents["F"] = 0; break;
    case 2: extents["E"] = extents["F"] = 0; break;
    default: extents["W"] = extents["F"] = 0; break;
  }
  return extents;
}

std::vector<double> random_values(Draws& draws, std::int64_t count) {
  std::vector<double> values(static_cast<std::size_t>(count));
  for (double& value : values) {
    const double center = Grid * draws.between(-5, 5);
    value = center + draws.uniform(-Jitter, Jitter);
  }
  return values;
}

std::vector<std::int32_t> random_map(Draws& draws, std::int64_t count, std::int64_t extent) {
  std::vector<std::int32_t> values(static_cast<std::size_t>(count));
  for (std::int32_t& value : values) value = draws.between(0, static_cast<int>(extent) - 1);
  return values;
}

void bind_field(RandomInputs& in, const Field& field, std::int64_t num_elements, Binding& binding) {
  std::vector<double> values = random_values(in.draws, num_elements * field.channels);
  if (field.name == "S")  // missing texels
    for (std::size_t texel = 0; texel < values.size(); texel += 2)
      if (in.draws.chance(0.2)) values[texel] = -std::numeric_limits<double>::infinity();
  if (field.type == ScalarType::Float)
    return expect(binding.set_field(field.name, std::vector<float>(values.begin(), values.end())));
  if (field.type == ScalarType::Int32)
    return expect(
        binding.set_field(field.name, std::vector<std::int32_t>(values.begin(), values.end())));
  expect(binding.set_field(field.name, std::move(values)));
}

void bind_maps(Draws& draws, const Extents& extents, Binding& binding) {
  const auto extent = [&](const char* dim) { return extents.at(dim); };
  std::vector<std::int32_t> v0 = random_map(draws, extent("E"), extent("N"));
  std::vector<std::int32_t> v1 = random_map(draws, extent("E"), extent("N"));
  for (std::size_t i = 0; i < v1.size(); ++i)
    if (draws.chance(0.3)) v1[i] = v0[i];
  std::vector<std::int32_t> far = random_map(draws, extent("E"), extent("N"));
  for (std::int32_t& value : far)
    if (draws.chance(0.3)) value = -1;
  std::vector<std::int32_t> pixel;
  for (std::int64_t i = 0; i < extent("F"); ++i) {
    pixel.push_back(draws.between(0, static_cast<int>(extent("W")) - 1));
    pixel.push_back(draws.between(0, static_cast<int>(extent("H")) - 1));
  }
  expect(binding.set_map("v0", std::move(v0)));
  expect(binding.set_map("v1", std::move(v1)));
  expect(binding.set_map("far", std::move(far)));
  expect(binding.set_map("edge", random_map(draws, extent("F"), extent("E"))));
  expect(binding.set_map("pixel", std::move(pixel)));
}

}  // namespace

Binding random_data(RandomInputs& in, const Energy& energy) {
  const Extents extents = random_extents(in.draws);
  Binding binding(energy);
  for (const auto& [name, extent] : extents) expect(binding.set_extent(name, extent));
  for (std::size_t i = 0; i < energy.fields().size(); ++i) {
    const Field& field = energy.fields()[i];
    if (field.kind == FieldKind::Intermediate) continue;
    bind_field(in, field, binding.num_elements(energy, FieldId(i)), binding);
  }
  bind_maps(in.draws, extents, binding);
  expect(binding.validate(energy));
  return binding;
}

}  // namespace thallo::random_energy
