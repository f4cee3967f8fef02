#include "core/cli/reproduce/quantity_value.h"

#include <cmath>

#include "core/base/error.h"

namespace thallo::cli {
namespace {

Bound reversed(Bound bound) {
  if (bound == Bound::Exact) return bound;
  return bound == Bound::AtLeast ? Bound::AtMost : Bound::AtLeast;
}

// The bound of a sum or product of two; absent if they work against each other.
std::optional<Bound> combined(Bound a, Bound b) {
  if (a == b || b == Bound::Exact) return a;
  return a == Bound::Exact ? std::optional(b) : std::nullopt;
}

std::optional<QuantityValue> quotient(const QuantityValue& above, const QuantityValue& below) {
  const auto bound = combined(above.bound, reversed(below.bound));
  if (!bound || below.value == 0) return {};
  return QuantityValue{above.value / below.value, *bound};
}

}  // namespace

std::optional<QuantityValue> value_of(const Quantity& quantity, const MeasuredCase& measured) {
  const auto value = [&](const std::string& key) -> std::optional<QuantityValue> {
    const auto found = measured.values.find(key);
    if (found == measured.values.end()) return {};
    return QuantityValue{found->second, measured.bound(key)};
  };
  if (const auto its = value(quantity.key); its || quantity.ratio.first.empty()) return its;
  const auto above = value(quantity.ratio.first), below = value(quantity.ratio.second);
  return above && below ? quotient(*above, *below) : std::nullopt;
}

std::optional<double> value_of(const Quantity& quantity,
                               const std::map<std::string, double>& published) {
  MeasuredCase printed;
  printed.values = published;
  const auto its = value_of(quantity, printed);
  return its ? std::optional(its->value) : std::nullopt;
}

MeasuredCase mean_of(std::span<const Quantity> quantities, std::span<const MeasuredCase> cases) {
  MeasuredCase means;
  for (const Quantity& quantity : quantities) {
    double logarithms = 0;
    int num_values = 0;
    std::optional<Bound> bound = Bound::Exact;
    for (const MeasuredCase& one : cases) {
      const auto its = value_of(quantity, one);
      if (!its) continue;
      logarithms += std::log(its->value);  // no number unless it is positive
      ++num_values;
      if (bound) bound = combined(*bound, its->bound);
    }
    const double mean = std::exp(logarithms / num_values);
    if (num_values >= 2 && bound && std::isfinite(mean) && mean > 0)
      means.set(quantity.key, mean, *bound);
  }
  return means;
}

std::string_view sign_of(Bound bound) {
  switch (bound) {
    case Bound::Exact: return "";
    case Bound::AtLeast: return "≥ ";
    case Bound::AtMost: return "≤ ";
  }
  THALLO_UNREACHABLE();
}

}  // namespace thallo::cli
