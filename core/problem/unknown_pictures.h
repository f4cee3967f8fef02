// Pictures of unknowns that are images, before and after a solve.
#pragma once

#include <vector>

#include "core/base/io/image.h"
#include "core/energy/energy.h"
#include "core/problem/report/report.h"

namespace thallo {

class Binding;

// The values of an unknown over two dims with 1, 3 or 4 channels.
struct UnknownPicture {
  FieldId unknown;
  Image values;  // an alpha channel is left out
};

// Returns the pictures of all such unknowns. Larger ones than 16 million points are left out.
std::vector<UnknownPicture> unknown_pictures(const Energy& energy, const Binding& binding);

// Returns two pictures of each unknown, with the same mapping of values to brightness: values
// between 0 and 1 as they are; others from their smallest to their largest value, which the
// captions say. `before` and `after` are of the same unknowns.
std::vector<ReportImage> before_and_after(const Energy& energy,
                                          const std::vector<UnknownPicture>& before,
                                          const std::vector<UnknownPicture>& after);

}  // namespace thallo
