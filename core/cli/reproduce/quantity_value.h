// The value of a quantity of a case: as it was printed or measured, or computed of others.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/cli/reproduce/measured_case.h"
#include "core/cli/reproduce/paper.h"

namespace thallo::cli {

struct QuantityValue {
  double value = 0;
  Bound bound = Bound::Exact;
};

// Returns the value that there is, else the quotient that the quantity is. Of two bounds the
// quotient is known only if they do not work against each other.
std::optional<QuantityValue> value_of(const Quantity& quantity, const MeasuredCase& measured);
std::optional<double> value_of(const Quantity& quantity,
                               const std::map<std::string, double>& published);

// Returns the geometric means of the quantities over these cases, each over the cases that have it.
// One that fewer than two cases have, or that is not positive everywhere, has none.
MeasuredCase mean_of(std::span<const Quantity> quantities, std::span<const MeasuredCase> cases);

// Returns "≥ ", "≤ " or nothing, which is written before the value.
std::string_view sign_of(Bound bound);

}  // namespace thallo::cli
