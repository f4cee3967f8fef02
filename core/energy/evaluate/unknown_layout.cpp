#include "core/energy/evaluate/unknown_layout.h"

#include <algorithm>
#include <span>

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
    const int channels = field.tangent_channels();
    places_[unknown] = {.offset = size_,
                        .channels = channels,
                        .first_value = num_values_,
                        .num_values = field.channels,
                        .manifold = field.manifold,
                        .space = space->second,
                        .first_channel = own.channels};
    own.unknowns.push_back(unknown);
    own.channels += channels;
    size_ += elements * channels;
    num_values_ += elements * field.channels;
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

std::int64_t UnknownLayout::first_value(FieldId unknown, std::int64_t element) const {
  const Place& place = places_.at(unknown);
  return place.first_value + element * place.num_values;
}

std::vector<double> UnknownLayout::gather(const Binding& binding) const {
  std::vector<double> values;
  values.reserve(static_cast<std::size_t>(num_values_));
  for (const FieldId unknown : order_) {
    const std::vector<double> own = binding.field(unknown).to_doubles();
    values.insert(values.end(), own.begin(), own.end());
  }
  THALLO_ASSERT_EQ(static_cast<std::int64_t>(values.size()), num_values_);
  return values;
}

void UnknownLayout::scatter(const std::vector<double>& values, Binding& binding) const {
  THALLO_ASSERT_EQ(static_cast<std::int64_t>(values.size()), num_values_);
  std::size_t next = 0;
  for (const FieldId unknown : order_) {
    HostArray& own = binding.field(unknown);
    for (std::size_t i = 0; i < own.size(); ++i) own.set_value(i, values[next++]);
  }
}

void UnknownLayout::step(const std::vector<double>& from, std::int64_t column, double length,
                         std::vector<double>& to) const {
  const UnknownEntry at = entry(column);
  const Place& place = places_.at(at.unknown);
  const auto first = static_cast<std::size_t>(first_value(at.unknown, at.element));
  const auto channel = static_cast<std::size_t>(at.channel);
  if (place.manifold == Manifold::Euclidean) {
    to[first + channel] = from[first + channel] + length;
    return;
  }
  std::vector<double> delta(static_cast<std::size_t>(place.channels), 0.0);
  delta[channel] = length;
  const auto element = std::span(from).subspan(first, static_cast<std::size_t>(place.num_values));
  std::ranges::copy(plus(place.manifold, element, delta),
                    to.begin() + static_cast<std::ptrdiff_t>(first));
}

}  // namespace thallo
