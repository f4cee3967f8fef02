#pragma once

// What a choice makes of two parts: a residual moves from the one to the other, with those that
// follow it in its group and are not placed yet.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/base/diagnostic.h"
#include "core/energy/energy.h"
#include "core/schedule/plan.h"

namespace thallo {

// Returns "fit[1], fit[2]".
std::string names_of(const Energy& energy, const std::vector<ResidualRef>& residuals);

// Positions are those of plan.parts.
std::size_t position_of(const Plan& plan, ResidualRef residual);

struct Move {
  std::size_t from = 0;
  std::optional<std::size_t> to;          // none if it makes a new part
  std::vector<ResidualRef> left, joined;  // of `from`, maybe none, and of the other part, after it
};
Move move_of(const Plan& plan, ResidualRef residual, std::size_t from,
             std::optional<std::size_t> to);

// Checks moves in a plan, whose parts have different names.
class MoveCheck {
 public:
  // Both arguments must outlive the check.
  MoveCheck(const Energy& energy, const Plan& plan);

  // Fails if the residual and the part `to` are over different dims, or if two parts would have one
  // name.
  Expected<void> check(ResidualRef residual, std::size_t from, std::optional<std::size_t> to) const;

 private:
  tl::unexpected<Diagnostic> same_name(const std::string& name, const std::vector<ResidualRef>& one,
                                       const std::vector<ResidualRef>& other) const;

  const Energy& energy_;
  const Plan& plan_;
  std::unordered_map<std::string_view, std::size_t> parts_;  // positions by name
};

}  // namespace thallo
