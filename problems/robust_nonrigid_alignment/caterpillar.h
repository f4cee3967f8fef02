// The generated input: a caterpillar that lies straight, and scans of how it arches its back.
#pragma once

#include "problems/robust_nonrigid_alignment/alignment_input.h"

namespace thallo::robust_nonrigid_alignment {

// The caterpillar is 1 long, along x, and has `around` vertices on each of its rings, which are
// joined by struts through its body. The scans have other vertices, a quarter more on each ring;
// the arch grows from scan to scan.
AlignmentInput make_caterpillar(int around, std::size_t num_scans);

}  // namespace thallo::robust_nonrigid_alignment
