// The thing that a site of a schedule decides about.
#pragma once

#include <compare>
#include <string>

#include "core/schedule/directive.h"

namespace thallo {

struct Subject {
  SiteKind kind = SiteKind::Part;  // Part also for the part's products and roles
  std::string name;

  friend auto operator<=>(const Subject&, const Subject&) = default;
};
Subject subject_of(const Site& site);

}  // namespace thallo
