// Copies of energy texts that were typed and not saved. They make the text available after the
// program was killed. The copy of a program is a file that contains the text, and is locked while
// the program runs:
//
//   FOLDER/own_energy-1f0c2a9b/5d41402a-3c5e....lua
//
// The hash before the first '-' identifies the text that the energy's file had.
#pragma once

#include <memory>
#include <optional>

#include <QDateTime>
#include <QLockFile>
#include <QString>

#include "core/base/diagnostic.h"

namespace thallo::gui {

struct EnergyCopy {
  QString path;  // of the copy
  QString text;
  QDateTime written;
  bool isOfOtherText = false;  // true if the energy's file had another text than it has now
};

class EnergyCopies final {
 public:
  // If the folder is empty, no copies are kept.
  explicit EnergyCopies(QString folder) : m_root(std::move(folder)) {}

  // Returns the newest copy of a program that has ended. Copies that equal `saved` are removed.
  std::optional<EnergyCopy> find(const QString& energy, const QString& saved) const;
  // Creates or replaces the copy of this program, entirely or not at all.
  Expected<void> keep(const QString& energy, const QString& saved, const QString& text);
  // Removes the copy of this program, if there is one.
  void drop();
  // Replaces the copy of this program by one that was found. Returns false if another program has
  // taken that one meanwhile.
  bool take(const EnergyCopy& copy);
  // Removes a copy that was found, unless another program has taken it.
  static void remove(const EnergyCopy& copy);

 private:
  QString m_root;
  QString m_own;                      // path of this program's copy; empty if there is none
  std::unique_ptr<QLockFile> m_lock;  // locks that copy
};

}  // namespace thallo::gui
