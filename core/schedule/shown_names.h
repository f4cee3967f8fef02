// What people read in place of names that are made by programs: of merged parts, and of found
// intermediates (core/energy/found/shown_names.h). Schedules, ids and keys keep those names.
//
//   fit_reg_down_reg_left_reg_right_reg_up    "all 5 residuals"
//   reg_down_reg_left                         "reg_* ×2"
//   fit_dense_sparse                          "fit, dense, sparse", or "fit + 2 more" if it is long
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "core/energy/energy.h"
#include "core/schedule/plan.h"

namespace thallo {

class ShownNames {
 public:
  // Names the found intermediates of the energy and the parts of the plan, each differently.
  ShownNames(const Energy& energy, const Plan& plan);

  // Returns what to show for the name of a part, of its product ("JtF of all 5 residuals") or of an
  // intermediate; the name itself if that says what it is.
  std::string of(std::string_view name) const;
  // Does the same for the names in the brackets of a step's label: "apply_jtj [all 5 residuals]".
  std::string label(std::string_view label) const;

 private:
  std::map<std::string, std::string, std::less<>> shown_;
};

}  // namespace thallo
