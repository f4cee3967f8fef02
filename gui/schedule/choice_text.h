// Describes in words what a choice costs, and decides how the choices of a site are presented.
#pragma once

#include <optional>

#include "gui/schedule/schedule_data.h"

namespace thallo::gui {

// The ways to show the choices of a site. The construct's editor determines which one is used, so
// every construct can be shown.
enum class EditorKind { Cards, List, Order, Numbers, Board };
EditorKind editorKindOf(const SiteRow& site);

// A time, compared with that of the current schedule.
struct CostWords {
  QString time;      // "309 µs", or "≈ 309 µs" if not measured; empty if unknown
  QString change;    // "−23 % (−41 µs)"; empty for the current schedule
  QString share;     // the first part of it, "−23 %", or "no change"
  QString saved;     // the second part, "−41 µs"
  QString bytes;     // "4.10 MB"
  QString numerics;  // "changes numerics", or empty
  bool isMeasured = false;
  int direction = 0;  // −1 if significantly faster, 1 if slower, else 0

  // "≈ 309 µs, −23 % (−41 µs), 4.10 MB, changes numerics"
  QString sentence() const;
};
CostWords costWords(const std::optional<TimeChange>& change, std::optional<double> bytes);
CostWords costWords(const SiteRow& site, std::size_t choice);

// Says what is written there and what it costs, or why it is illegal.
QString choiceTip(const SiteRow& site, std::size_t choice);

// Says what a choice does: "store sin(Angle)", "strategy of fit: [JtJ]p".
QString moveText(const SiteRow& site, std::size_t choice);
// Says how a choice changes the predicted times of what runs once and of all linear iterations:
// "once +140 µs, linear −5 µs". What does not change is left out.
QString splitText(const SiteRow& site, std::size_t choice);
// The same of a move that is no single choice.
QString splitText(const SiteTable& table, const OtherMove& move);

// Says how the time of the other schedule is known: "estimated, scaled by a measured time".
QString kindText(const TimeChange& change);
// Says in a sentence how the times of the choices are known; empty while they are unknown.
QString timesText(const SiteRow& site);

// What the best other choice of a site would save.
struct Gain {
  double share = 0;        // of the current time
  std::size_t choice = 0;  // which choice that is
  TimeChange change = {};
  bool changesNumerics = false;

  // A gain that leaves the results unchanged counts more than a larger gain that changes them.
  friend bool operator<(const Gain& a, const Gain& b) {
    return std::pair(!a.changesNumerics, a.share) < std::pair(!b.changesNumerics, b.share);
  }
};
// Absent if no choice saves more than the error of estimates.
std::optional<Gain> gainAt(const SiteRow& site);
// What a move would save; absent likewise. Its choice means nothing.
std::optional<Gain> gainOf(const OtherMove& move);
// "−19 %", or "−19 %, changes numerics".
QString gainText(const Gain& gain);

}  // namespace thallo::gui
