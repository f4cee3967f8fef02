// What was measured of schedules, and the scale of predictions beside it.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "gui/schedule/schedule_data.h"

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

}  // namespace thallo::gui
