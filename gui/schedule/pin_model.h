// The sites of the open problem that are pinned: what they decide is given, and explorations go
// around it. Pins are kept for every problem while the app runs, and in sessions. The current
// schedule need not keep them.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <vector>

#include <QObject>
#include <QStringList>

#include "gui/problem/problem_model.h"
#include "gui/schedule/schedule_data.h"
#include "gui/schedule/schedule_model.h"

namespace thallo::gui {

class PinModel final : public QObject {
  Q_OBJECT

 public:
  PinModel(JobRunner& analysisRunner, ProblemModel& problems, ScheduleModel& schedule);

  // In the order of the decisions.
  const std::vector<PinnedSite>& all() const { return m_pins; }
  // As a schedule writes them, one each.
  QStringList directives() const;
  // The text that `thallo explore --pin` takes; empty if nothing is pinned.
  QString text() const;
  // True while a request is carried out or waits.
  bool isBusy() const;

  // Pins the site as the current schedule decides it, together with what this needs; or leaves it
  // open if it is pinned. Where sites form groups, all sites of the construct go together. If that
  // is not possible, ScheduleModel::refused() says why.
  void toggle(const QString& siteId);
  // Leaves the site open, and those that need it.
  void unpin(const QString& siteId);
  void clear();
  // Pins what a session has kept. If that is no longer possible, nothing is pinned, and
  // ScheduleModel::refused() says why.
  void restore(const QStringList& directives);

 Q_SIGNALS:
  void changed();

 private:
  using Make = std::function<Expected<std::vector<PinnedSite>>(const OpenProblem&,
                                                               const QStringList& directives)>;
  void onProblemChanged();
  void submit(Make make);
  void startNext();
  void setPins(std::vector<PinnedSite> pins);
  // Returns the sites that are pinned together with this one.
  QStringList sitesWith(const QString& siteId) const;

  JobRunner& m_runner;
  ProblemModel& m_problems;
  ScheduleModel& m_schedule;
  std::map<QString, QStringList> m_kept;  // directives by ProblemModel::key()
  QString m_key;                          // of the open problem
  std::vector<PinnedSite> m_pins;
  std::deque<Make> m_waiting;
};

}  // namespace thallo::gui
