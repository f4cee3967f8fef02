// Random data for a small instance of an energy.
#pragma once

#include <cmath>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/energy/binding.h"

namespace thallo::test {

struct DataRange {
  double low = -1;
  double high = 1;
};

// What data an energy makes sense on; by default reals are in [-1, 1], params in [0.5, 1.5], bytes
// 0 or 1, every extent is 4 and map entries are anywhere.
struct RandomData {
  std::map<std::string, std::int64_t> extents;
  std::map<std::string, DataRange> ranges;
};

inline Binding draw_data(const Energy& energy, const RandomData& rules) {
  const auto range = [&](const std::string& name, DataRange otherwise) {
    const auto known = rules.ranges.find(name);
    const DataRange r = known == rules.ranges.end() ? otherwise : known->second;
    return std::uniform_real_distribution<double>(r.low, r.high);
  };
  std::mt19937_64 random(7);
  Binding binding(energy);
  const auto expect = [](const Expected<void>& done) {
    if (!done) throw InternalError(done.error().message(), __FILE__, __LINE__);
  };
  for (const Dim& dim : energy.dims()) {
    const auto extent = rules.extents.find(dim.name);
    expect(binding.set_extent(dim.name, extent == rules.extents.end() ? 4 : extent->second));
  }
  for (std::size_t i = 0; i < energy.fields().size(); ++i) {
    const Field& field = energy.fields()[i];
    if (field.kind == FieldKind::Intermediate) continue;
    if (field.kind == FieldKind::Param) {
      expect(binding.set_param(field.name, range(field.name, {0.5, 1.5})(random)));
      continue;
    }
    const bool is_whole = field.type == ScalarType::UInt8 || field.type == ScalarType::Int32;
    auto draw = range(field.name, is_whole ? DataRange{0, 1} : DataRange{});
    std::vector<double> values(
        static_cast<std::size_t>(binding.num_elements(energy, FieldId(i)) * field.channels));
    for (double& value : values) value = is_whole ? std::round(draw(random)) : draw(random);
    expect(binding.set_field(field.name, values));
  }
  for (const SparseMap& map : energy.maps()) {
    std::int64_t entries = 1;
    for (const DimId dim : map.in) entries *= binding.extent(dim);
    std::vector<std::int32_t> values;
    for (std::int64_t entry = 0; entry < entries; ++entry)
      for (const DimId dim : map.out)
        values.push_back(
            std::uniform_int_distribution(0, static_cast<int>(binding.extent(dim)) - 1)(random));
    expect(binding.set_map(map.name, values));
  }
  expect(binding.validate(energy));
  return binding;
}

}  // namespace thallo::test
