#include "gui/models/schedule_data.h"

#include <algorithm>

namespace thallo::gui {

const SiteRow* SiteTable::find(const QString& id) const {
  const auto row = std::ranges::find(sites, id, &SiteRow::id);
  return row == sites.end() ? nullptr : &*row;
}

const SiteGroups* SiteTable::groupsOf(const QString& construct) const {
  const auto found = std::ranges::find(groups, construct, &SiteGroups::construct);
  return found == groups.end() ? nullptr : &*found;
}

}  // namespace thallo::gui
