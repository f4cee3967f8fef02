// The named schedules that a person has edited, by problem. Each is in a file of its own, which is
// written at every change, so that a crash, another problem or another window cannot lose it:
//
//   FOLDER/image_warping-1f0c2a9b/3c5e....json
//   {"format": "thallo-explorer schedule", "version": 1, "made": 1795600000000,
//    "problem": "image_warping", "name": "edited", "text": "r.fit:...", "draft": ""}
//
// Several programs can use the shelf at once. What another program has changed meanwhile is not
// overwritten; this program's version becomes a separate entry. A damaged file is renamed.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include <QObject>
#include <QStringList>

#include "core/base/diagnostic.h"

namespace thallo::gui {

struct KeptSchedule {
  QString name;
  QString text;       // the last version without faults
  QString draft;      // what was typed after that, if it has faults or is unchecked; else empty
  QString file = {};  // empty if kept in memory only
  qint64 made = 0;    // milliseconds since 1970, for sorting
  QByteArray onDisk = {};  // content of the file when last read or written
  bool isRemoved = false;
};
using Kept = std::shared_ptr<const KeptSchedule>;  // the entry, whatever its name and text are now

class ScheduleShelf final : public QObject {
  Q_OBJECT

 public:
  // Without a folder, schedules are kept in memory until the program ends.
  explicit ScheduleShelf(QString folder);

  // Shows the schedules of a problem, including those that other programs have added. `taken` are
  // names that the problem uses already.
  void open(const QString& problem, const QStringList& taken);
  void close();

  // The schedules of the open problem, the oldest first.
  const std::vector<Kept>& all() const { return m_all; }
  bool has(const Kept& kept) const;
  Kept find(const QString& name) const;  // null if there is none

  // Adds a schedule under that name, or under "name 2" and so on if the name is taken.
  Kept add(const QString& name, const QString& text, const QString& draft = {});
  // Changes an entry. If the entry was removed, puts it back.
  void change(const Kept& kept, const QString& text, const QString& draft);
  // Fails if the name is empty or taken.
  Expected<void> rename(const Kept& kept, const QString& name);
  void remove(const Kept& kept);

 Q_SIGNALS:
  void changed();
  // Emitted when an entry was renamed, or when other programs have added entries.
  void renamed();
  // Emitted when the user should know something: a file was renamed because it is damaged, or
  // cannot be written.
  void told(const QString& sentence);

 private:
  using Entry = std::shared_ptr<KeptSchedule>;

  QString folder() const;  // for the open problem
  bool isTaken(const QString& name) const;
  QString freeName(const QString& wanted) const;
  Entry entryOf(const Kept& kept) const;
  void insert(Entry entry);
  // Returns null if the file is not such a schedule; a damaged file is renamed.
  Entry read(const QString& file);
  void putAside(const QString& file, const QString& why);
  void write(const Entry& entry);
  bool isChangedElsewhere(const KeptSchedule& entry) const;

  QString m_root;
  QString m_problem;
  QStringList m_taken;
  std::vector<Kept> m_all;
  // All entries seen so far, by problem; removed ones can come back.
  std::map<QString, std::vector<Entry>> m_known;
  bool m_cannotWrite = false;  // true if the user was told so
};

}  // namespace thallo::gui
