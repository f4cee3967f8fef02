// What is known about the texts on the shelf, for the open problem on its device.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>

#include "gui/jobs/job_runner.h"
#include "gui/problem/open_problem.h"
#include "gui/schedule/schedule_shelf.h"

namespace thallo::gui {

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
