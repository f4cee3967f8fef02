#pragma once

// What the sites of a construct decide together whose editor is a Placement: which items are in one
// group, as the residuals of a part are. Dragging an item to another group changes the choices at
// several sites at once, since each says with which earlier items its own one is.
//
//   const std::vector<ChoiceSite> sites = list_choices(energy, schedule, constructs, ...).value();
//   Groups groups = groups_of(construct, sites);       // {{fit[1]}, {near[1], near[2]}}
//   ...                                                // {{fit[1], near[2]}, {near[1]}}
//   if (const auto directives = regroup(energy, construct, sites, groups))
//     edit(energy, schedule, *directives, constructs);

#include <string>
#include <vector>

#include "core/explore/choice_sites.h"

namespace thallo {

// Items by group. Each is in one.
using Groups = std::vector<std::vector<std::string>>;

// As is chosen: items in the order of the sites, groups in that of their first items.
Groups groups_of(const Construct& construct, const std::vector<ChoiceSite>& sites);

// The groups with one item alone at another place: with the items that the place names, or by
// itself. Those that follow the item stay where they are, which the choice itself does not promise.
Groups moved(Groups groups, const std::string& item, const Placement::Place& to);

// A directive for each site of the construct; together they make `wanted`, whose order is
// arbitrary. Fails where an item cannot be with others, with the reason.
Expected<std::vector<Directive>> regroup(const Energy& energy, const Construct& construct,
                                         const std::vector<ChoiceSite>& sites,
                                         const Groups& wanted);

}  // namespace thallo
