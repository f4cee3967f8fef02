// Finds the effect of the choice at each site on the time, from the texts of many schedules.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gui/models/space_data.h"

namespace thallo::gui {

// A parsed directive of a schedule text: `r.fit:strategy("[JtJ]p")` decides "[JtJ]p" at
// "fit:strategy". If a schedule uses a word several times for one thing, as in
// `r.fit:split_merge{[2]="new"}`, the first argument belongs to the site; if there is no other
// argument, as in `r.fit:block{role="cost"}`, the choice is "default".
struct DirectiveText {
  std::string site, choice;

  static DirectiveText of(const std::string& line, bool isRepeated);
};

// The choices that schedules make where their texts say nothing.
struct SilentChoices {
  // Texts that state the default of every site that a schedule has. A schedule has only the sites
  // in its text.
  std::vector<std::string> texts;
  // For each candidate, an index into texts; absent if the sites of the candidate are unknown.
  std::vector<std::optional<std::size_t>> of;
};

// Returns the effects of at most `most` sites where candidates with a time differ. Significant
// sites come first: each one explains most of the variance of log time that the previous ones
// leave. The others follow. `texts` and `seconds` (NaN: none) are in the same order. A candidate
// that lacks a site, for example that of a part that only a split makes, does not count there.
std::vector<SiteEffect> siteEffects(std::span<const std::string> texts,
                                    std::span<const double> seconds, const SilentChoices& silent,
                                    std::size_t most);

}  // namespace thallo::gui
