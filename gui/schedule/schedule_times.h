// What was measured of schedules, with the scale of predictions beside it, and the times of
// what is on the shelf.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>

#include "gui/jobs/job_runner.h"
#include "gui/problem/open_problem.h"
#include "gui/schedule/schedule_data.h"
#include "gui/schedule/schedule_shelf.h"

namespace thallo::gui {

class ScheduleTimes {
 public:
  // Returns the measured times of the schedule with that hash.
  using Measurements = std::function<std::optional<MeasuredTimes>(const QString& hash)>;
  void setMeasurements(Measurements measurements) { m_measurements = std::move(measurements); }

  // Returns the factor by which displayed predictions are multiplied: the ratio of measured to
  // predicted time of the last schedule of referTo() that was measured; 1 if there is none.
  double scale() const;
  void referTo(const ScheduleSnapshot& snapshot);
  void forgetReference() { m_reference.reset(); }
  // Returns the snapshot with all its known times added.
  std::shared_ptr<const ScheduleSnapshot> withMeasured(
      const std::shared_ptr<const ScheduleSnapshot>& snapshot) const;
  // Adds the changes of the time, from the current schedule, to its choices. Returns false if they
  // are there already.
  bool addChanges(const ScheduleSnapshot& now, SiteTable& table) const;
  void addTimes(const ScheduleSnapshot& now, Trial& trial) const;

 private:
  std::optional<double> measuredSeconds(const QString& hash) const;
  // Compares a schedule with the one of that hash, which is predicted to take so long.
  TimeChange changeTo(const TimeEstimate& from, const QString& hash, double predicted) const;

  Measurements m_measurements;
  struct Reference {
    QString hash;
    double predicted = 0;
  };
  std::optional<Reference> m_reference;  // predictions are scaled by its measured time
};

// What is known about a text on the shelf, for the open problem on its device.
struct ShelfTime {
  QString hash = {};
  std::optional<double> seconds = {};  // estimated per nonlinear iteration
  QString illegal = {};                // why it cannot be taken here; empty if it can
};

class ShelfTimes {
 public:
  static constexpr const char* Slot = "shelf";  // of the runner

  // Times the schedules that are on the shelf when the problem is opened. Others are timed when
  // they are made, by set(). `known` is called once they have arrived.
  void start(JobRunner& runner, std::shared_ptr<OpenProblem> problem, const ScheduleShelf& shelf,
             std::function<void()> known);
  void clear() { m_times.clear(); }
  void set(const QString& text, ShelfTime time) { m_times[text] = std::move(time); }
  const ShelfTime* of(const Kept& kept) const;  // null until it is known

 private:
  using Times = std::map<QString, ShelfTime>;
  Times m_times;  // by text
};

}  // namespace thallo::gui
