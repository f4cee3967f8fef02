#pragma once

// What the choice at each site does to the time, found in what many schedules decide.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/explore/report/decision_table.h"

namespace thallo {

// A place where schedules decide something, and what each schedule decides there.
struct SiteEffect {
  std::string site;                   // "fit:strategy"
  std::vector<std::string> choices;   // those that were made, the one with the least median first
  std::vector<double> medians;        // seconds of those that chose it; NaN where none has a time
  std::vector<std::size_t> num_made;  // schedules with a time that chose it
  std::vector<std::uint16_t> chosen;  // by each schedule, into choices
  // The share of the variance of log time that goes with this choice and with no other that every
  // schedule makes (partial_effect.h).
  double explained = 0;
  // The share that goes with it, whatever else differs with it.
  double alone = 0;
  // How likely noise alone would make one of all sites look as if it mattered as much.
  double chance = 1;
  // Sites that differ exactly where this one does, so that nobody can tell their effects apart;
  // they have no entry of their own.
  std::vector<std::string> together;
  std::size_t num_compared = 0;  // schedules with a time that the comparison looked at
  std::size_t num_timed = 0;     // schedules with a time that have the site

  bool is_significant() const;
};

// One for each site where the schedules with a time differ, at most `most`: first those where the
// difference is significant, those that every schedule has before those that only some have, each
// by what they explain; then the others. Seconds (NaN: none)
// are of the schedules of the table. A site is compared given all other choices that every schedule
// makes; a schedule that does not have the site, as a part that only others make by a split, counts
// for nothing there. At most 4096 schedules are compared, every n-th of them, and 96 sites, those
// that explain most alone; they are compared given choices with 96 alternatives together.
std::vector<SiteEffect> effects_of_choices(const DecisionTable& table,
                                           std::span<const double> seconds, std::size_t most);

}  // namespace thallo
