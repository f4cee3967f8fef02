#pragma once

// What makes an Energy legal. Every fault is found, each with its place and what would have been
// legal:
//
// - names: not empty; unique among dims, among fields and maps, among residual groups
// - slots: unique among dims, among fields and maps (constant views excepted, see Energy::make)
// - fields: channels >= 1; arrays and unknowns have dims; unknowns have the working scalar type
// - intermediates: one value per channel, one domain per dim and over it, no circle of reads, no
//   domain in the values that is not theirs
// - accesses and map lookups: rank, channel; a plain domain or a plain map lookup as an index must
//   run over the very dim it indexes (shifted and combined ones are tested at run time and may not)
// - samples: a 2-D array; derivative images of its shape; declared when the position has a
//   derivative with respect to an unknown
// - residual groups: at least one residual, one domain and one unknown; all residuals that are not
//   constant exist over the same domains, and mention no others in bounds tests
// - exclusions: a boolean over the unknown's own dims, one per unknown
// - the energy: at least one unknown and one residual

#include <vector>

#include "core/base/diagnostic.h"
#include "core/energy/energy.h"

namespace thallo {

// `only_structure` leaves out the faults that follow from a fault found before (groups without
// domains or unknowns).
std::vector<Diagnostic> find_faults(const Energy::Data& data, bool only_structure = false);

// One Diagnostic for several: itself when there is one, else a list with one fault a line.
Diagnostic combine_faults(std::string_view subject, const std::vector<Diagnostic>& faults);

}  // namespace thallo
