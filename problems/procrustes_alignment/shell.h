// The generated shape: a sea shell, which no turn maps onto itself, so that a motion can be told
// from where its points are.
#pragma once

#include "core/base/io/mesh.h"

namespace thallo::procrustes_alignment {

// A tube of `around` vertices around and 6 * around rings that winds up its axis, z, and grows: 6 *
// around² vertices. The widest part is about 1 from the axis.
Mesh make_shell(int around);

}  // namespace thallo::procrustes_alignment
