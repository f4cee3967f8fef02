#include "core/energy/unknown_layout.h"

#include <algorithm>

#include "core/base/error.h"

namespace thallo {

UnknownLayout::UnknownLayout(const Energy& energy, const Binding& binding)
    : order_(energy.unknowns()) {
  std::map<std::vector<DimId>, std::size_t> space_of_dims;
  for (const FieldId unknown : order_) {
    const Field& field = energy.field(unknown);
    const std::int64_t elements = binding.num_elements(energy, unknown);
    const auto [space, is_new] = space_of_dims.try_emplace(field.dims, spaces_.size());
    if (is_new) spaces_.push_back({{}, 0, elements});
    Space& own = spaces_[space->second];
    places_[unknown] = {size_, field.channels, space->second, own.channels};
    own.unknowns.push_back(unknown);
    own.channels += field.channels;
    size_ += elements * field.channels;
  }
}

std::int64_t UnknownLayout::column(FieldId unknown, std::int64_t element, int channel) const {
  const Place& place = places_.at(unknown);
  return place.offset + element * place.channels + channel;
}

UnknownEntry UnknownLayout::entry(std::int64_t column) const {
  THALLO_ASSERT(column >= 0 && column < size_);
  // The last unknown that starts at or before the column and is not empty.
  const auto found = std::find_if(order_.rbegin(), order_.rend(), [&](FieldId unknown) {
    return places_.at(unknown).offset <= column;
  });
  const Place& place = places_.at(*found);
  const std::int64_t local = column - place.offset;
  return {*found, local / place.channels, static_cast<int>(local % place.channels)};
}

std::vector<double> UnknownLayout::gather(const Binding& binding) const {
  std::vector<double> values;
  values.reserve(static_cast<std::size_t>(size_));
  for (const FieldId unknown : order_) {
    const std::vector<double> own = binding.field(unknown).to_doubles();
    values.insert(values.end(), own.begin(), own.end());
  }
  THALLO_ASSERT_EQ(static_cast<std::int64_t>(values.size()), size_);
  return values;
}

void UnknownLayout::scatter(const std::vector<double>& values, Binding& binding) const {
  THALLO_ASSERT_EQ(static_cast<std::int64_t>(values.size()), size_);
  std::size_t next = 0;
  for (const FieldId unknown : order_) {
    HostArray& own = binding.field(unknown);
    for (std::size_t i = 0; i < own.size(); ++i) own.set_value(i, values[next++]);
  }
}

}  // namespace thallo
