#pragma once

// Supports constructs whose editor is a Placement. The sites of such a construct together decide
// which items form groups, for example which residuals form a part. Moving one item to another
// group can change the choices at several sites at once, because each site says which of the
// earlier items its own item joins.
//
//   const std::vector<ChoiceSite> sites = list_choices(energy, schedule, constructs, ...).value();
//   Groups groups = groups_of(construct, sites);       // {{fit[1]}, {near[1], near[2]}}
//   ...                                                // {{fit[1], near[2]}, {near[1]}}
//   if (const auto directives = regroup_from(energy, construct, sites, groups))
//     edit(energy, schedule, *directives, constructs);

#include <string>
#include <vector>

#include "core/explore/space/choice_sites.h"

namespace thallo {

// The items of each group. Every item is in exactly one group.
using Groups = std::vector<std::vector<std::string>>;

// Returns the groups as they are chosen now. Items are in the order of the sites; groups are in the
// order of their first items.
Groups groups_of(const Construct& construct, const std::vector<ChoiceSite>& sites);

// Returns the groups after moving one item alone, to join the items that the place names or to
// stand by itself. The items after it stay in their groups; applying the choice at its site alone
// would not guarantee that.
Groups moved(Groups groups, const std::string& item, const Placement::Place& to);

// Returns directives that together produce the groups `wanted`, whose order does not matter: one
// for each site of the construct, but where the default is wanted and chosen already. Fails with
// the reason if an item cannot be in the same group as others.
Expected<std::vector<Directive>> regroup_from(const Energy& energy, const Construct& construct,
                                              const std::vector<ChoiceSite>& sites,
                                              const Groups& wanted);

// Returns what decides for a choice at a site of list_choices(): its own directive or, if the
// editor of the site is a Placement, one for each item whose choice changes when the item of the
// site moves there alone. Fails as regroup_from() does.
Expected<std::vector<Directive>> directives_for(const Energy& energy,
                                                const std::vector<ChoiceSite>& sites,
                                                const ChoiceSite& at, const Choice& choice);

}  // namespace thallo
