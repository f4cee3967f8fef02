// What the choice at each site does to the time, found in the texts of many schedules.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gui/models/space_data.h"

namespace thallo::gui {

// A directive of a schedule text taken apart: `r.fit:strategy("[JtJ]p")` decides "[JtJ]p" at
// "fit:strategy". Where a schedule has the same word several times for one thing, as
// `r.fit:split_merge{[2]="new"}`, what stands first in the parentheses belongs to the site; where
// nothing else stands there, as in `r.fit:block{role="cost"}`, the choice is "default".
struct DirectiveText {
  std::string site, choice;

  static DirectiveText of(const std::string& line, bool isRepeated);
};

// What schedules choose where their texts say nothing.
struct SilentChoices {
  // Texts that say of every site that a schedule has what the default is there; a schedule has
  // none but these.
  std::vector<std::string> texts;
  // Of each candidate, into texts; none where the sites of a candidate are not known.
  std::vector<std::optional<std::size_t>> of;
};

// One for each site where the candidates with a time differ, at most `most`: first those where the
// difference is significant, each one that explains most of the variance of log time which those
// before it leave; then the others. Texts and seconds (NaN: none) are of the same candidates.
// Candidates that do not have a site, as a part that only others make by a split, count for
// nothing there.
std::vector<SiteEffect> siteEffects(std::span<const std::string> texts,
                                    std::span<const double> seconds, const SilentChoices& silent,
                                    std::size_t most);

}  // namespace thallo::gui
