// What the choice at each site does to the time, found in the texts of many schedules.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "gui/models/space_data.h"

namespace thallo::gui {

// A directive of a schedule text taken apart: `r.fit:strategy("[JtJ]p")` decides "[JtJ]p" at
// "fit:strategy". Where a schedule has the same word several times for one thing, as
// `r.fit:split_merge{[2]="new"}`, what stands first in the parentheses belongs to the site.
struct DirectiveText {
  std::string site, choice;

  static DirectiveText of(const std::string& line, bool isRepeated);
};

// One for each site where the candidates with a time differ, those that explain most of the variance
// of log time first, at most `most`. Texts and seconds (NaN: none) are of the same candidates. A text
// that says nothing of a site is at its default, whose name `defaults` knows by the site.
std::vector<SiteEffect> siteEffects(std::span<const std::string> texts,
                                    std::span<const double> seconds,
                                    const std::map<std::string, std::string>& defaults,
                                    std::size_t most);

}  // namespace thallo::gui
