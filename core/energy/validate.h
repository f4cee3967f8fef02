#pragma once

// Finds everything that makes an energy illegal, each fault with its place and what would have been
// legal. The rules:
//
// - Names are not empty. They are unique among dims, among fields and maps, among residual groups.
// - Slots are unique among dims, and among fields and maps, except for constant views
//   (Energy::make).
// - Fields have at least one channel. Arrays and unknowns have dims, params are one scalar.
//   Unknowns have the working scalar type, and poses the stored channels of their manifold.
// - Sparse maps go from at least one dim to at least one dim.
// - Intermediates have one value per channel and one domain per dim, which runs over that dim.
//   Their values depend on no other domain. None reads itself, directly or through others.
// - Accesses and map lookups have one index component per dim and use a channel or output that
//   exists. A component that is just a domain or just a map lookup runs over the very dim it
//   indexes; shifted and combined components need not, they are tested at run time.
// - Samples are of an array over two dims, or, in layers, over three. Derivative images have the
//   shape of the image; they are declared if the position has a derivative by an unknown.
// - Residual groups have at least one residual and one domain, no domain twice, and depend on an
//   unknown. Residuals that are not constant exist over all domains of their group; bounds tests
//   mention no others.
// - A loss is made of numbers, params and functions of them; one that an author wrote also of s.
//   Energy::make and Binding::validate look at its values (check_losses).
// - Exclusions are booleans, and bounds numbers, over the unknown's own dims, one per unknown.
// - There is at least one unknown and one residual group.
// - There is at most one batch. Every unknown is over it, once, and what a residual or an
//   intermediate reads of unknowns is of one member, at a loop variable over the batch.

#include <vector>

#include "core/base/diagnostic.h"
#include "core/energy/energy.h"

namespace thallo {

// `only_structure` leaves residual groups and losses unchecked: after a known fault, groups without
// domains or unknowns are likely to be its consequence.
std::vector<Diagnostic> find_faults(const Energy::Data& data, bool only_structure = false);

// Combines several faults into one Diagnostic: a single fault unchanged, several as a list with one
// fault per line.
Diagnostic combine_faults(std::string_view subject, const std::vector<Diagnostic>& faults);

}  // namespace thallo
