// Measurements from other devices, in the same store or in another one, that are shown beside those
// of the page. They are matched with the schedules that the page shows.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include <QObject>

#include "gui/base/remote.h"
#include "gui/jobs/job_runner.h"
#include "gui/space/space_data.h"

namespace thallo::gui {

struct SpaceSource {
  QString store;   // a file; empty: the store of the page
  QString device;  // a signature; empty: every device, once the store is read

  // Returns a text that identifies the source.
  QString id() const { return store + '\n' + device; }
  friend bool operator==(const SpaceSource&, const SpaceSource&) = default;
};

struct BesideSpace {
  SpaceSource source;
  // Empty if the store has no measurements of the open problem on the device.
  Remote<SpaceSnapshot> space = {};
  // The times of the reference's candidates on this device; null until they are found. `isOf` is
  // that reference.
  std::shared_ptr<const TimeColumn> times = {};
  std::shared_ptr<const SpaceSnapshot> isOf = {};
};

class BesideSpaces final : public QObject {
  Q_OBJECT

 public:
  // Called by a job. Returns nothing if nothing was measured.
  using Read = std::function<Expected<std::optional<SpaceSnapshot>>(const SpaceSource&)>;

  explicit BesideSpaces(JobRunner& runner) : m_runner(runner) {}

  const std::vector<BesideSpace>& all() const { return m_spaces; }
  bool contains(const SpaceSource& source) const;
  // Label of a space: the device's name; with the store's file name added if two spaces share a
  // device; the file name alone until the device is known.
  QString nameOf(const BesideSpace& space) const;
  void add(const SpaceSource& source);
  void remove(const SpaceSource& source);
  std::vector<SpaceSource> sources() const;
  void setSources(const std::vector<SpaceSource>& sources);

  // Must be called when another problem is opened, or another store on the page. All spaces are
  // read again with `read`, which is null if there is no problem. Devices of the page's previous
  // store are removed.
  void begin(Read read);
  // True if something is being read or compared.
  bool isBusy() const;
  // Reads all spaces again.
  void reload();
  // Sets the measurements that the others are compared with; may be null.
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

  JobRunner& m_runner;  // runs the reading
  JobRunner m_comparing{1};
  Read m_read;
  std::shared_ptr<const SpaceSnapshot> m_reference;
  std::vector<BesideSpace> m_spaces;
};

}  // namespace thallo::gui
