#pragma once

// The names that schedules and messages use: of residuals, of parts and of the domains they are
// scheduled over. All follow from the energy and from which residuals a part has.

#include <string>
#include <string_view>
#include <vector>

#include "core/schedule/plan.h"

namespace thallo {

// Returns "fit" for all residuals of the group fit, "fit_2" for its second, "fit_2_4" for the
// second to the fourth; the names of several groups are joined, "fit_reg_1". The name depends on
// the members alone.
std::string part_name(const Energy& energy, const std::vector<ResidualRef>& residuals);

// Returns for example "reg[2]": the second residual of the group reg.
std::string residual_name(const Energy& energy, ResidualRef residual);
// Reads "reg[2]", or "reg" for the first of its group. Fails with a list of the groups, or with the
// number of residuals of the group.
Expected<ResidualRef> find_residual(const Energy& energy, std::string_view name);

// Returns the dims that a group runs over. Groups over equal dims, in equal order, can be one part.
std::vector<DimId> dims_of(const Energy& energy, std::size_t group);

// Returns the energy's name for a domain: by default its dim in lower case, numbered from the
// second one on.
const std::string& domain_name(const Energy& energy, DomainId domain);
// Returns for example "(w, h)".
std::string domains_text(const Energy& energy, const std::vector<DomainId>& domains);

// Returns the domains of a part as its first group declares them; Part::order is a permutation of
// them.
const std::vector<DomainId>& declared_domains(const Energy& energy, const Part& part);
// Returns the name of a domain of a part in schedules: the energy's name for it, numbered (t, t2)
// if a domain declared before it already has that name.
std::string domain_name(const Energy& energy, const Part& part, DomainId domain);

}  // namespace thallo
