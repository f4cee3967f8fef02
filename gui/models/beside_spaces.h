// Measurements that are shown beside those of the page: of other devices, in the same store or in
// another one. What was measured there is set against the schedules that the page shows.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include <QObject>

#include "gui/jobs/job_runner.h"
#include "gui/models/remote.h"
#include "gui/models/space_data.h"

namespace thallo::gui {

struct SpaceSource {
  QString store;   // a file; empty: the store of the page
  QString device;  // its signature; empty: all that the store has, once it is read

  // Tells it from all others.
  QString id() const { return store + '\n' + device; }
  friend bool operator==(const SpaceSource&, const SpaceSource&) = default;
};

struct BesideSpace {
  SpaceSource source;
  // Empty: the store has no measurements of the open problem on the device.
  Remote<SpaceSnapshot> space = {};
  // The times there of the candidates of the reference, which `isOf` is; null until they are found.
  std::shared_ptr<const TimeColumn> times = {};
  std::shared_ptr<const SpaceSnapshot> isOf = {};
};

class BesideSpaces final : public QObject {
  Q_OBJECT

 public:
  // Called by a job. Absent when nothing was measured.
  using Read = std::function<Expected<std::optional<SpaceSnapshot>>(const SpaceSource&)>;

  explicit BesideSpaces(JobRunner& runner) : m_runner(runner) {}

  const std::vector<BesideSpace>& all() const { return m_spaces; }
  bool contains(const SpaceSource& source) const;
  // Of the device, with the store where another one that is shown has the same; of the store while
  // nothing is known of it.
  QString nameOf(const BesideSpace& space) const;
  void add(const SpaceSource& source);
  void remove(const SpaceSource& source);
  std::vector<SpaceSource> sources() const;
  void setSources(const std::vector<SpaceSource>& sources);

  // Of another problem, or with another store on the page: all are read anew by this, which is null
  // while there is no problem. Devices of the store that the page had before go.
  void begin(Read read);
  // Is something being read or compared?
  bool isBusy() const;
  // Reads all of them again.
  void reload();
  // The measurements whose candidates the others are compared with; may be null.
  void setReference(std::shared_ptr<const SpaceSnapshot> reference);

 Q_SIGNALS:
  void changed();

 private:
  void clear();
  BesideSpace* find(const SpaceSource& source);
  void read(BesideSpace& space);
  void take(const SpaceSource& source, Expected<std::optional<SpaceSnapshot>> read);
  void takeAll(const SpaceSource& source, SpaceSnapshot read);
  void compare();

  JobRunner& m_runner;  // of what is read
  JobRunner m_comparing{1};
  Read m_read;
  std::shared_ptr<const SpaceSnapshot> m_reference;
  std::vector<BesideSpace> m_spaces;
};

}  // namespace thallo::gui
