// What the app shows of the current schedule.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include <QString>
#include <QStringList>

#include "core/schedule/schedule.h"

namespace thallo::gui {

// A step of the program, as a stretch of a nonlinear iteration.
struct TimeSegment {
  QString label;                   // "apply_jtjp [fit]"
  bool isLinear = false;           // of every linear iteration; else once
  double runs = 1;                 // in a nonlinear iteration
  double predicted = 0;            // seconds of one run
  std::optional<double> measured;  // likewise, when the store knows
  double scale = 1;                // what the time is multiplied by, see TimeEstimate::fitSteps

  // What all runs have of the time of a nonlinear iteration.
  double seconds() const { return runs * measured.value_or(predicted) * scale; }
  friend bool operator==(const TimeSegment&, const TimeSegment&) = default;
};

// How a time is known. Estimated: predicted before lowering (core/cost/estimator.h), which is
// rougher than what a store has of the generated kernels. Scaled: that, multiplied by the ratio of
// the measured to the estimated time of a schedule that was measured.
enum class TimeKind { Estimated, Scaled, Measured };

// What a nonlinear iteration takes.
struct TimeEstimate {
  std::vector<TimeSegment> segments;  // those that run once, then those of linear iterations
  double nonlinear = 0;               // seconds, predicted; infinite when it does not fit in memory
  double linear = 0;                  // seconds of a linear iteration, predicted
  double linearIterations = 0;
  double bytes = 0;                // all memory on the device
  std::optional<double> measured;  // seconds of a nonlinear iteration, when the store knows
  double scale = 1;  // of predictions: the ratio of a measured to its predicted time; 1 without one

  double seconds() const { return measured.value_or(nonlinear * scale); }
  TimeKind kind() const {
    return measured ? TimeKind::Measured : scale == 1 ? TimeKind::Estimated : TimeKind::Scaled;
  }
  // The ratio of the measured to the predicted time; 1 where it is not known.
  double measuredRatio() const;
  // Makes the times of steps parts of seconds(): predicted ones are scaled as the whole is, and all
  // are made smaller where they would add up to more.
  void fitSteps();
  // True if the times of all steps are measured ones, as they were measured.
  bool hasMeasuredSteps() const;
  // Seconds of the steps that run once, or of those of linear iterations.
  double ofSteps(bool isLinear) const;
  // Seconds that the steps do not have. Of a predicted time: launches, turns of the loop, and the
  // host; of a measured one also caches that are colder than where steps were timed alone, and what
  // predictions of steps are off.
  double besideSteps() const;
  friend bool operator==(const TimeEstimate&, const TimeEstimate&) = default;
};

// The times of two schedules, both of one kind. Where one of the two was measured, the other one is
// predicted and scaled by the ratio of the measured one.
struct TimeChange {
  double from = 0, to = 0;  // seconds of a nonlinear iteration
  TimeKind kind = TimeKind::Estimated;
  bool isMeasured = false;  // True if `to` was measured, whether or not `from` was

  friend bool operator==(const TimeChange&, const TimeChange&) = default;
};
// `predicted` and `measured` are those of the other schedule.
TimeChange changeBetween(const TimeEstimate& from, double predicted,
                         std::optional<double> measured);
TimeChange changeBetween(const TimeEstimate& from, const TimeEstimate& to);

// What is known of the times of a schedule, in seconds.
struct MeasuredTimes {
  double nonlinear = 0;             // of a nonlinear iteration
  std::map<QString, double> steps;  // of one run, by label
};

// What a program stores under a name.
struct BufferBytes {
  QString name;  // "J.fit"
  double bytes = 0;

  friend bool operator==(const BufferBytes&, const BufferBytes&) = default;
};

// A fault in a schedule text. Lines and columns count from 1; 0 where they are not known.
struct TextFault {
  int line = 0, column = 0;
  QString text;

  friend bool operator==(const TextFault&, const TextFault&) = default;
};

// What an edit had to drop, with its reason.
struct DroppedDirective {
  QString text, why;

  friend bool operator==(const DroppedDirective&, const DroppedDirective&) = default;
};

struct ScheduleSnapshot {
  Schedule schedule;  // in normal form
  QString text;       // of the schedule
  QString hash;
  TimeEstimate time;
  std::vector<DroppedDirective> dropped;  // by the edit that made it
};

// A choice that can be written at a site.
struct ChoiceRow {
  QString label;                  // "[JtJ]p"
  Properties args;                // Choice::args
  QString directive;              // r.fit:strategy("[JtJ]p")
  QString illegal;                // why it is not legal; empty when it is
  bool isRepeated = false;        // makes the same program as a choice before it
  QString hash = {};              // of the schedule with this choice; empty while it is not known
  std::optional<double> seconds;  // predicted, of a nonlinear iteration with this choice
  std::optional<double> bytes;    // predicted, all memory on the device with this choice
  std::optional<TimeChange> change = {};  // from the schedule as it is to that with this choice
  // True if what is computed with this choice is off by more or less than now, as in
  // half precision.
  bool changesNumerics = false;
};

// A place where something is decided.
struct SiteRow {
  QString construct;
  Stage stage = Stage::Partition;
  Site site;
  QString name;                    // Site::name
  Editor editor;                   // shows the choices
  std::vector<ChoiceRow> choices;  // the default first
  std::size_t chosen = 0;

  QString id() const { return idOf(construct, name); }
  static QString idOf(const QString& construct, const QString& name) {
    return construct + '@' + name;
  }
};

// What a schedule decides at a site.
struct Decision {
  QString site;    // "strategy of fit"
  QString choice;  // its label: "[JtJ]p"
  bool isDefault = true;
};

// Items by group; each is in one.
using ItemGroups = std::vector<QStringList>;

// What all sites of a construct decide together whose editor is a Placement.
struct SiteGroups {
  QString construct;
  ItemGroups groups;
};

struct SiteTable {
  QString hash;  // of the schedule that it belongs to
  std::vector<SiteRow> sites;
  std::vector<SiteGroups> groups;

  const SiteRow* find(const QString& id) const;                // null when there is none
  const SiteGroups* groupsOf(const QString& construct) const;  // likewise
};

// What a person decides: the choice of that label at a site, or how all sites of the construct are
// grouped.
struct ScheduleEdit {
  QString construct;
  QString site = {}, label = {};
  ItemGroups groups = {};  // when these are not empty

  friend bool operator==(const ScheduleEdit&, const ScheduleEdit&) = default;
};

// What would become of an edit.
struct Trial {
  ScheduleEdit edit;
  QString illegal = {};  // why it cannot be; empty when it can
  QString hash = {};     // this and all below as those of a ChoiceRow
  std::optional<double> seconds = {}, bytes = {};
  std::optional<TimeChange> change = {};
};

}  // namespace thallo::gui
