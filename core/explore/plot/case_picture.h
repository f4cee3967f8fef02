#pragma once

// Draws what a paper prints beside what was measured here. `thallo reproduce` asks workers for it
// (core/explore/worker/requests.h).

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/fields.h"
#include "core/explore/plot/svg.h"

namespace thallo::plot {

// A row with its marks on one axis for each case. If cases have curves, one diagram with all of
// them instead; of scatters, one for each, whose axes have the same range.
struct CasePicture {
  struct Mark {
    double value = 0;
    std::size_t quantity = 0;  // of the picture
    bool is_ours = false;
  };
  struct Case {
    std::string name;
    std::vector<Mark> marks;
    std::vector<std::pair<double, double>> curve;
    std::optional<double> level;     // of what `auto` chooses: a line across a curve
    std::vector<std::string> notes;  // beside a scatter
  };

  std::string number, title;  // "Figure 12", and what it shows
  std::string ours;           // by whom ours were made
  std::string x_title, y_title;
  std::vector<std::string> quantities;  // their titles
  std::vector<Case> cases;
  bool is_share = false;  // true if x goes from 0 to 1 on a linear axis; others are logarithmic
  bool is_scatter = false;
};
THALLO_FIELDS(CasePicture::Mark, value, quantity, is_ours)
THALLO_FIELDS(CasePicture::Case, name, marks, curve, level, notes)
THALLO_FIELDS(CasePicture, number, title, ours, x_title, y_title, quantities, cases, is_share,
              is_scatter)

// There is a case, and each has a mark or a point of a curve.
Svg draw(const CasePicture& picture);

}  // namespace thallo::plot
