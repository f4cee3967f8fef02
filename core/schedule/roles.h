#pragma once

// A part's roles: what is computed for it by kernels of its own, under the names that schedule text
// uses: "cost", "jtf", "jtjp", "jp", "jt", "fill_j", "fill_jtj". Which of them a part has follows
// from its strategy and storage formats.

#include <string>
#include <vector>

#include "core/schedule/plan.h"

namespace thallo {

std::vector<std::string> roles_of(const Energy& energy, const Part& part);
// The roles that add to elements which several points contribute to.
std::vector<std::string> scattering_roles(const Energy& energy, const Part& part);

}  // namespace thallo
