// The schedules that a person has edited, with names, by problem. Each is a file of its
// own, written when it is changed, so that neither a crash nor another problem nor another
// window loses it:
//
//   FOLDER/image_warping-1f0c2a9b/3c5e....json
//   {"format": "thallo-explorer schedule", "version": 1, "made": 1795600000000,
//    "problem": "image_warping", "name": "edited", "text": "r.fit:...", "draft": ""}
//
// Several programs can have the shelf open. What another one has changed meanwhile is not
// overwritten: this one's becomes an entry of its own. A file that is damaged is put aside.
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
  QString text;  // without faults when it was kept
  QString
      draft;  // as typed after that, while it has faults or nobody has looked; empty: nothing was
  QString file = {};       // empty when it is kept in memory alone
  qint64 made = 0;         // milliseconds since 1970, for the order
  QByteArray onDisk = {};  // what the file had when it was read or written last
  bool isRemoved = false;
};
using Kept =
    std::shared_ptr<const KeptSchedule>;  // the entry, whatever its name and text are by now

class ScheduleShelf final : public QObject {
  Q_OBJECT

 public:
  // Without a folder everything is kept until the program ends.
  explicit ScheduleShelf(QString folder, QObject* parent = nullptr);

  // Shows the schedules of a problem, also those that other programs have added. `taken` are names
  // that it has anyway.
  void open(const QString& problem, const QStringList& taken);
  void close();

  // Of the open problem, the oldest first.
  const std::vector<Kept>& all() const { return m_all; }
  bool has(const Kept& kept) const;
  Kept find(const QString& name) const;  // null when there is none

  // With that name, or "name 2" and so on where it is taken.
  Kept add(const QString& name, const QString& text, const QString& draft = {});
  // Of an entry that was removed: puts it back.
  void change(const Kept& kept, const QString& text, const QString& draft);
  // Fails for a name that is empty or taken.
  Expected<void> rename(const Kept& kept, const QString& name);
  void remove(const Kept& kept);

 Q_SIGNALS:
  void changed();
  // Of an entry, or of all when other programs have added some.
  void renamed();
  // Something that its owner should know: a file was put aside, or cannot be written.
  void told(const QString& sentence);

 private:
  using Entry = std::shared_ptr<KeptSchedule>;

  QString folder() const;  // of the open problem
  bool isTaken(const QString& name) const;
  QString freeName(const QString& wanted) const;
  Entry entryOf(const Kept& kept) const;
  void insert(Entry entry);
  // Null for a file that is no such schedule; one that is damaged is put aside.
  Entry read(const QString& file);
  void putAside(const QString& file, const QString& why);
  void write(const Entry& entry);
  bool isChangedElsewhere(const KeptSchedule& entry) const;

  QString m_root;
  QString m_problem;
  QStringList m_taken;
  std::vector<Kept> m_all;
  // Every entry that was seen, by problem: those that were removed can come back.
  std::map<QString, std::vector<Entry>> m_known;
  bool m_cannotWrite = false;  // and that was told
};

}  // namespace thallo::gui
