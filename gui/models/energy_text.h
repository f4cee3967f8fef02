// The text of the user's own energy while it is edited, including what was typed and is not saved
// yet.
#pragma once

#include <QObject>
#include <QString>

#include "core/base/diagnostic.h"

namespace thallo::gui {

class EnergyText final : public QObject {
  Q_OBJECT

 public:
  using QObject::QObject;

  // Starts with the content of the file, and discards what was typed before.
  void begin(const QString& file, const QString& saved);
  const QString& file() const { return m_file; }
  // Returns the typed text, or the saved one if nothing was typed.
  const QString& text() const { return m_text; }
  void setText(const QString& text);
  bool isUnsaved() const { return m_text != m_saved; }

  void discard() { setText(m_saved); }
  // True if the file no longer contains the text that was last read from it or written to it here.
  bool isChangedElsewhere() const;
  // Writes the file, entirely or not at all, even if the text has faults. From now on it is the
  // energy's file.
  Expected<void> saveAs(const QString& file);

 Q_SIGNALS:
  // Emitted when there begins, or ceases, to be something to save.
  void unsavedChanged(bool isUnsaved);

 private:
  void changeTo(const QString& text, const QString& saved);

  QString m_file, m_text, m_saved;
};

}  // namespace thallo::gui
