// The measured schedules of the open problem: their store, its contents, the filter, and the
// exploration that measures more. While the exploration runs, the store is read repeatedly, so that
// points appear.
#pragma once

#include <memory>

#include <QObject>
#include <QTimer>

#include "gui/base/remote.h"
#include "gui/problem/problem_model.h"
#include "gui/space/beside_spaces.h"
#include "gui/space/exploration_model.h"
#include "gui/space/measurement_model.h"
#include "gui/space/space_data.h"

namespace thallo::gui {

class SpaceReader;

// A measured schedule, found on the page or in what is shown beside it.
struct FoundCandidate {
  std::shared_ptr<const SpaceSnapshot> space;
  std::size_t index = 0;
  QString elsewhere;  // name of the space beside; empty: on the page
};

class SpaceModel final : public QObject {
  Q_OBJECT

 public:
  // If `store` is empty, each problem has its own store among the app's data.
  SpaceModel(ProblemModel& problems, QStringList workerCommand, const QString& store);

  // The file with the measurements, which need not exist. Empty without a problem.
  QString store() const;
  void openStore(const QString& file);
  // The store that was opened instead of the problem's own; empty if none was.
  const QString& openedStore() const { return m_wantedStore; }
  // Empty: nothing was measured yet. Failed: the store cannot be read; reload() tries again.
  const Remote<SpaceSnapshot>& space() const { return m_space; }
  void reload();
  // True if an unreadable file may be renamed to make room for a new store. A file that the user
  // opened and that is not named like a store may be anything.
  bool canPutAside() const;
  // Renames the file and begins a new store. Fails if it cannot be renamed.
  Expected<void> putAside();
  // The new name of the file that was last put aside; empty if none was.
  const QString& putAsideAs() const { return m_putAsideAs; }
  // Shows these measurements until the store is read again.
  void show(SpaceSnapshot space);
  // Shows another device of the store.
  void showDevice(const QString& signature);
  // The requested device; empty means the device that the problem is viewed on.
  const QString& device() const { return m_device; }

  // Other measurements of the problem, to be shown beside these.
  BesideSpaces& beside() { return m_beside; }
  const BesideSpaces& beside() const { return m_beside; }

  std::optional<FoundCandidate> findCandidate(const QString& hash) const;

  const SpaceFilter& filter() const { return m_filter; }
  void setFilter(const SpaceFilter& filter);
  // For each candidate of the snapshot, whether it passes the filter.
  const std::vector<bool>& shown() const { return m_shown; }
  std::size_t numShown() const { return m_numShown; }

  // What explorations go around, and what counts are of; as a schedule writes it.
  void setPins(const QStringList& pins);
  // Empty until counts are requested, and when other sites are pinned.
  const Remote<SpaceCounts>& counts() const { return m_counts; }
  void count(const QString& space);

  ExplorationModel& exploration() { return m_exploration; }
  const ExplorationModel& exploration() const { return m_exploration; }
  // Explores the open problem, around the pins, and writes to the store.
  void explore(const ExplorationSettings& settings);

  MeasurementModel& measurement() { return m_measurement; }
  const MeasurementModel& measurement() const { return m_measurement; }
  // Measures a schedule of the open problem anew, in the way in which the others in the store were
  // measured, and writes to the store.
  void measure(const QString& name, const Proposal& schedule);

  // True if the shown measurements come from the device selected for this problem. Times of another
  // device do not apply to the schedules on other pages.
  bool isOfProblemsDevice() const;
  // Returns the measured times of the schedule with that hash on the device selected for this
  // problem, if there are any.
  std::optional<MeasuredTimes> measured(const QString& hash) const;

 Q_SIGNALS:
  void spaceChanged();
  void filterChanged();
  void countsChanged();
  // Emitted with a sentence for the user if a store is not where it was.
  void told(const QString& sentence);

 private:
  void onProblemChanged();
  void onExplorationChanged();
  // Makes the store, with the measurements that ship, if it is not there.
  void prepareStore();
  // Goes on with the file that is written now.
  void follow(const QString& written);
  void onMeasurementChanged();
  // Ends what writes to the store, and what belongs to its problem.
  void endWork();
  void setSpace(Remote<SpaceSnapshot> space);
  void applyFilter();
  BesideSpaces::Read besideRead() const;

  ProblemModel& m_problems;
  QString m_wantedStore, m_device, m_putAsideAs;
  Remote<SpaceSnapshot> m_space;
  SpaceFilter m_filter;
  std::vector<bool> m_shown;
  std::size_t m_numShown = 0;
  QStringList m_pins;
  Remote<SpaceCounts> m_counts;
  // Filled by the first job that needs it, and used by jobs only.
  struct Reading;
  std::shared_ptr<Reading> m_reading;
  QTimer m_refresh;
  bool m_wasRunning = false, m_wasMeasuring = false;
  ExplorationModel m_exploration;
  MeasurementModel m_measurement;
  JobRunner m_runner{1};
  BesideSpaces m_beside{m_runner};
};

}  // namespace thallo::gui
