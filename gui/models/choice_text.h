// What a choice is said to cost, in words, and how people choose at a site.
#pragma once

#include <optional>

#include "gui/models/schedule_data.h"

namespace thallo::gui {

// How the choices of a site are shown. Of any construct: its editor says which.
enum class EditorKind { Cards, List, Switch, Order, Numbers, Board };
EditorKind editorKindOf(const SiteRow& site);

// A time against that of the schedule as it is.
struct CostWords {
  QString time;  // "309 µs", "≈ 309 µs" where it was not measured; empty while it is not known
  QString change;     // "−23 % (−41 µs)"; empty for the schedule as it is
  QString share;      // of it "−23 %", or "no change"
  QString saved;      // and "−41 µs"
  QString bytes;      // "4.10 MB"
  QString numerics;   // "changes numerics", or empty
  int direction = 0;  // −1 where it is faster by more than predictions are apart, 1 slower

  // "≈ 309 µs, −23 % (−41 µs), 4.10 MB, changes numerics"
  QString sentence() const;
};
CostWords costWords(const std::optional<TimeChange>& change, std::optional<double> bytes);
CostWords costWords(const SiteRow& site, std::size_t choice);

// What is written there, what it costs; or why it cannot be.
QString choiceTip(const SiteRow& site, std::size_t choice);

// How the time of the other schedule is known: "estimated, scaled by a measured time".
QString kindText(const TimeChange& change);
// How the times of the choices are known, in a sentence; empty while they are not.
QString timesText(const SiteRow& site);

// What the best other choice of a site saves.
struct Gain {
  double share = 0;        // of the time
  std::size_t choice = 0;  // which one
  TimeChange change = {};
  bool changesNumerics = false;

  // What computes the same is more than what saves more time and does not.
  friend bool operator<(const Gain& a, const Gain& b) {
    return std::pair(!a.changesNumerics, a.share) < std::pair(!b.changesNumerics, b.share);
  }
};
// Absent where no choice saves more than estimates are off.
std::optional<Gain> gainAt(const SiteRow& site);
// "−19 %", or "−19 %, changes numerics".
QString gainText(const Gain& gain);

}  // namespace thallo::gui
