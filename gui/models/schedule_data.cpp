#include "gui/models/schedule_data.h"

#include <algorithm>
#include <cmath>

namespace thallo::gui {

double TimeEstimate::ofSteps(bool isLinear) const {
  double sum = 0;
  for (const TimeSegment& segment : segments)
    if (segment.isLinear == isLinear) sum += segment.seconds();
  return sum;
}

double TimeEstimate::besideSteps() const {
  const double rest = seconds() - ofSteps(false) - ofSteps(true);
  return std::isfinite(rest) ? std::max(0.0, rest) : 0;
}

const SiteRow* SiteTable::find(const QString& id) const {
  const auto row = std::ranges::find(sites, id, &SiteRow::id);
  return row == sites.end() ? nullptr : &*row;
}

const SiteGroups* SiteTable::groupsOf(const QString& construct) const {
  const auto found = std::ranges::find(groups, construct, &SiteGroups::construct);
  return found == groups.end() ? nullptr : &*found;
}

}  // namespace thallo::gui
