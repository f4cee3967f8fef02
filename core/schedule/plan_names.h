#pragma once

// The names that schedules and messages use: of residuals, of parts and of the domains they are
// scheduled over. All follow from the energy and from which residuals a part has.

#include <string>
#include <string_view>
#include <vector>

#include "core/schedule/plan.h"

namespace thallo {

// "fit" for all residuals of the group fit, "fit_2" for its second, "fit_2_4" for the second to the
// fourth; the names of several groups are joined, "fit_reg_1". Depends on the members alone.
std::string part_name(const Energy& energy, const std::vector<ResidualRef>& residuals);

// "reg[2]": the second residual of the group reg.
std::string residual_name(const Energy& energy, ResidualRef residual);
// Reads "reg[2]", or "reg" for the first of its group. Fails with the groups there are, or with how
// many residuals the group has.
Expected<ResidualRef> find_residual(const Energy& energy, std::string_view name);

// What the energy calls a domain: by default its dim in lower case, numbered from the second one
// on.
const std::string& domain_name(const Energy& energy, DomainId domain);
// "(w, h)"
std::string domains_text(const Energy& energy, const std::vector<DomainId>& domains);

// The domains of a part as its first group declares them; Part::order is a permutation of them.
const std::vector<DomainId>& declared_domains(const Energy& energy, const Part& part);
// What schedules call a domain of a part: the energy's name for it, numbered (t, t2) when a domain
// declared before it already has that name.
std::string domain_name(const Energy& energy, const Part& part, DomainId domain);

}  // namespace thallo
