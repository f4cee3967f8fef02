// What the app shows about the current schedule.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <vector>

#include <QString>
#include <QStringList>

#include "core/cost/model/cost_model.h"
#include "core/schedule/schedule.h"

namespace thallo::gui {

// A step of the program as a stretch of a nonlinear iteration.
struct TimeSegment {
  QString label;                   // "apply_jtjp [fit_reg_down_reg_left]"
  QString shown;                   // the same for people: "apply_jtjp [all 3 residuals]"
  bool isLinear = false;           // true if every linear iteration runs it, else once
  double runs = 1;                 // per nonlinear iteration
  double predicted = 0;            // seconds per run
  std::optional<double> measured;  // likewise, if the store has it
  std::optional<double> spread;    // of `measured`; see MeasuredTimes
  double scale = 1;                // factor of the time; see TimeEstimate::fitSteps

  // Returns the time of all runs in a nonlinear iteration.
  double seconds() const { return runs * measured.value_or(predicted) * scale; }
  friend bool operator==(const TimeSegment&, const TimeSegment&) = default;
};

// How a time is known. Estimated: predicted by the cost model (core/cost/pricing). Scaled: that,
// multiplied by the ratio of measured to predicted time of another schedule.
enum class TimeKind { Estimated, Scaled, Measured };

// A part of a time, in words.
struct NamedSeconds {
  QString name;
  double seconds = 0;
};

// The time of a nonlinear iteration.
struct TimeEstimate {
  std::vector<TimeSegment> segments;  // those that run once, then those of linear iterations
  double nonlinear = 0;               // predicted seconds; infinite if it does not fit into memory
  double linear = 0;                  // predicted seconds per linear iteration
  double linearIterations = 0;
  double bytes = 0;  // all memory on the device
  BesideSteps beside = {};
  std::optional<double> measured;  // seconds per nonlinear iteration, if the store has it
  std::optional<double> spread;    // of `measured`; see MeasuredTimes
  double scale = 1;  // factor of predictions: a ratio of measured to predicted time, or 1

  double seconds() const { return measured.value_or(nonlinear * scale); }
  TimeKind kind() const {
    return measured ? TimeKind::Measured : scale == 1 ? TimeKind::Estimated : TimeKind::Scaled;
  }
  // Returns the ratio of measured to predicted time; 1 if unknown.
  double measuredRatio() const;
  // Makes the times of the steps add up to at most seconds(): predicted ones are scaled like the
  // total, and all are reduced if their sum is too large.
  void fitSteps();
  // True if the times of all steps were measured and are not scaled.
  bool hasMeasuredSteps() const;
  // Returns the seconds of the steps that run once, or of those in linear iterations.
  double ofSteps(bool isLinear) const;
  // Returns the seconds that are not spent in steps. For a predicted time: launches, iterations of
  // the loop, and the host. For a measured time also: caches that are colder than when steps were
  // timed alone, and errors in the predictions of steps.
  double besideSteps() const;
  // Splits besideSteps(): what is predicted for launches, the loop and the host, and what is left
  // over of a measured time, which may be negative.
  std::vector<NamedSeconds> besideParts() const;
  friend bool operator==(const TimeEstimate&, const TimeEstimate&) = default;
};

// The times of two schedules, made comparable. If only one of them was measured, the other one's
// prediction is scaled by the ratio of measured to predicted time of the first.
struct TimeChange {
  double from = 0, to = 0;  // seconds per nonlinear iteration
  TimeKind kind = TimeKind::Estimated;
  bool isMeasured = false;            // true if `to` was measured, whether or not `from` was
  std::optional<double> spread = {};  // of a measured `to`; see MeasuredTimes

  friend bool operator==(const TimeChange&, const TimeChange&) = default;
};
// `predicted` and `measured` belong to the other schedule.
TimeChange changeBetween(const TimeEstimate& from, double predicted,
                         std::optional<double> measured);
TimeChange changeBetween(const TimeEstimate& from, const TimeEstimate& to);

// The measured times of a schedule, in seconds. A spread is half the interquartile range of several
// samples; that of the whole is the sum over its steps, or of whole solves. Absent if unknown.
struct MeasuredTimes {
  struct Step {
    double seconds = 0;  // of a run
    std::optional<double> spread = {};
  };
  double nonlinear = 0;                // per nonlinear iteration
  std::map<QString, Step> steps = {};  // by label
  std::optional<double> spread = {};   // of `nonlinear`
};

// A fault in a schedule text. Lines and columns count from 1; 0 means unknown.
struct TextFault {
  int line = 0, column = 0;
  QString text;

  friend bool operator==(const TextFault&, const TextFault&) = default;
};

// A directive that an edit had to drop, with the reason.
struct DroppedDirective {
  QString text, why;

  friend bool operator==(const DroppedDirective&, const DroppedDirective&) = default;
};

struct ScheduleSnapshot {
  Schedule schedule;  // in normal form
  QString text;       // the schedule's text
  QString hash;
  TimeEstimate time;
  std::vector<DroppedDirective> dropped;  // dropped by the edit that made the schedule
};

// A choice that is offered at a site.
struct ChoiceRow {
  QString label;                          // "[JtJ]p"
  Properties args;                        // Choice::args
  QString directive;                      // r.fit:strategy("[JtJ]p")
  QString illegal;                        // why it is illegal; empty if it is legal
  bool isRepeated = false;                // true if an earlier choice makes the same program
  QString hash = {};                      // of the schedule with this choice; empty if unknown
  std::optional<double> seconds;          // predicted per nonlinear iteration with this choice
  std::optional<double> linear = {};      // of these, seconds of all linear iterations together
  std::optional<double> bytes;            // predicted total memory on the device with this choice
  std::optional<TimeChange> change = {};  // from the current schedule to the one with this choice
  // True if this choice changes the accuracy of the results, as half precision does.
  bool changesNumerics = false;
};

// A place where something is decided.
struct SiteRow {
  QString construct;
  Stage stage = Stage::Partition;
  Site site;
  QString name;                    // Site::name
  QString shown;                   // the same for people: "sin, cos(Angle)" (core's ShownNames)
  Editor editor;                   // shows the choices
  std::vector<ChoiceRow> choices;  // the default comes first
  std::size_t chosen = 0;

  QString id() const { return idOf(construct, name); }
  static QString idOf(const QString& construct, const QString& name) {
    return construct + '@' + name;
  }
};

// The decision of a schedule at a site.
struct Decision {
  QString site;    // "strategy of fit"
  QString choice;  // its label: "[JtJ]p"
  bool isDefault = true;
};

// The items of each group. Every item is in exactly one group.
using ItemGroups = std::vector<QStringList>;

// For a construct whose editor is a Placement: what all of its sites decide together.
struct SiteGroups {
  QString construct;
  ItemGroups groups;
};

// A move that is no single choice: two groups made one, or two decisions that help only together.
struct OtherMove {
  std::vector<Directive> directives;
  std::vector<Directive> then = {};  // of the second of two decisions; empty if it is one
  QString text;                      // what it does, for people
  QString tip;                       // what a schedule writes for it
  QString hash;                      // of the schedule that it leads to
  double seconds = 0, linear = 0;    // predicted; see ChoiceRow
  bool changesNumerics = false;
  std::optional<TimeChange> change = {};  // as in ChoiceRow
};

// A site whose decision is given: explorations go around it (core/schedule/pins.h).
struct PinnedSite {
  QString construct, site;  // Site::name
  QString shown;            // for people: "strategy of fit"
  QString choice;           // its label
  QString directive;        // r.fit:strategy("JtJp")

  QString id() const { return SiteRow::idOf(construct, site); }
  friend bool operator==(const PinnedSite&, const PinnedSite&) = default;
};

struct SiteTable {
  QString hash;  // of the schedule that the table belongs to
  std::vector<SiteRow> sites;
  std::vector<SiteGroups> groups;
  std::vector<OtherMove> moves = {};   // known once choices have times
  std::optional<double> linear = {};   // predicted seconds of all linear iterations, as it is
  std::optional<double> seconds = {};  // predicted seconds of a nonlinear iteration, likewise
  std::size_t leftOut = 0;  // legal choices and merges without times, because there are too many

  const SiteRow* find(const QString& id) const;                // null if there is none
  const SiteGroups* groupsOf(const QString& construct) const;  // likewise
};

// A user's edit: the choice with that label at a site, or a new grouping of all sites of the
// construct.
struct ScheduleEdit {
  QString construct;
  QString site = {}, label = {};
  ItemGroups groups = {};                  // used if not empty
  std::vector<Directive> directives = {};  // used alone if not empty

  friend bool operator==(const ScheduleEdit&, const ScheduleEdit&) = default;
};

// The effect that edits, one after the other, would have.
struct Trial {
  std::vector<ScheduleEdit> edits;
  QString illegal = {};                   // why it is not possible; empty if it is
  std::optional<TimeChange> change = {};  // as in ChoiceRow
  // What they would lead to; null if it is illegal.
  std::shared_ptr<const ScheduleSnapshot> snapshot = {};

  std::optional<double> bytes() const {
    return snapshot ? std::optional(snapshot->time.bytes) : std::nullopt;
  }
};

}  // namespace thallo::gui
