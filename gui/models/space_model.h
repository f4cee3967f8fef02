// The schedules of the open problem that were measured: the store that they are in, what it has,
// which of them are shown, and the exploration that measures more of them. While it runs, the store
// is read again and again, so that points arrive.
#pragma once

#include <memory>

#include <QObject>
#include <QTimer>

#include "gui/models/beside_spaces.h"
#include "gui/models/exploration_model.h"
#include "gui/models/problem_model.h"
#include "gui/models/remote.h"
#include "gui/models/space_data.h"

namespace thallo::gui {

class SpaceReader;

class SpaceModel final : public QObject {
  Q_OBJECT

 public:
  // With an empty `store`, each problem has one of its own among the data of the app.
  SpaceModel(ProblemModel& problems, QStringList workerCommand, const QString& store,
             QObject* parent = nullptr);

  // The file that measurements are in; it need not be there. Empty without a problem.
  QString store() const;
  void openStore(const QString& file);
  // The one that was opened in place of the problem's own; empty when none was.
  const QString& openedStore() const { return m_wantedStore; }
  // Empty: nothing was measured yet. Failed: the store cannot be read; reload() tries again.
  const Remote<SpaceSnapshot>& space() const { return m_space; }
  void reload();
  // Can the file that cannot be read give way to a new store? A file that was opened and is not
  // called like one may be anything.
  bool canPutAside() const;
  // Gives the file another name, and begins a new store. Fails when it cannot be renamed.
  Expected<void> putAside();
  // What the last store was put aside as; empty when none was.
  const QString& putAsideAs() const { return m_putAsideAs; }
  // Shows these measurements until the store is read again.
  void show(SpaceSnapshot space);
  // Shows another device of the store.
  void showDevice(const QString& signature);
  // The one that was asked for; empty: the one that the problem is looked at on.
  const QString& device() const { return m_device; }

  // Other measurements of the problem, to be looked at beside these.
  BesideSpaces& beside() { return m_beside; }
  const BesideSpaces& beside() const { return m_beside; }

  const SpaceFilter& filter() const { return m_filter; }
  void setFilter(const SpaceFilter& filter);
  // For each candidate of the snapshot whether the filter lets it through.
  const std::vector<bool>& shown() const { return m_shown; }
  std::size_t numShown() const { return m_numShown; }

  // Empty until asked for.
  const Remote<SpaceCounts>& counts() const { return m_counts; }
  void count(const QString& space);

  ExplorationModel& exploration() { return m_exploration; }
  // Explores the open problem into the store.
  void explore(const ExplorationSettings& settings);

  // Is what is shown of the device that the problem is looked at on? Times of another one are no
  // times of the schedules that are shown elsewhere.
  bool isOfProblemsDevice() const;
  // Of the schedule with that hash on the device that the problem is looked at on, if
  // they are known.
  std::optional<MeasuredTimes> measured(const QString& hash) const;

 Q_SIGNALS:
  void spaceChanged();
  void filterChanged();
  void countsChanged();

 private:
  void onProblemChanged();
  void onExplorationChanged();
  void setSpace(Remote<SpaceSnapshot> space);
  void applyFilter();
  BesideSpaces::Read besideRead() const;

  ProblemModel& m_problems;
  QString m_wantedStore, m_device, m_putAsideAs;
  Remote<SpaceSnapshot> m_space;
  SpaceFilter m_filter;
  std::vector<bool> m_shown;
  std::size_t m_numShown = 0;
  Remote<SpaceCounts> m_counts;
  // Filled by the first job that needs it, and used by jobs alone.
  struct Reading;
  std::shared_ptr<Reading> m_reading;
  QTimer m_refresh;
  bool m_wasRunning = false;
  ExplorationModel m_exploration;
  JobRunner m_runner{1};
  BesideSpaces m_beside{m_runner};
};

}  // namespace thallo::gui
