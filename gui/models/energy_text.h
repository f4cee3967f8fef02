// The text of an energy of one's own while it is edited: what was typed and is not in its file yet.
#pragma once

#include <QObject>
#include <QString>

#include "core/base/diagnostic.h"

namespace thallo::gui {

class EnergyText final : public QObject {
  Q_OBJECT

 public:
  using QObject::QObject;

  // Begins with what the file has. What was typed before is gone.
  void begin(const QString& file, const QString& saved);
  const QString& file() const { return m_file; }
  // As typed, else as saved.
  const QString& text() const { return m_text; }
  void setText(const QString& text);
  bool isUnsaved() const { return m_text != m_saved; }

  void discard() { setText(m_saved); }
  // Has the file another text than the one that was read from it or written to it here?
  bool isChangedElsewhere() const;
  // Writes the file, whole or not at all, whatever faults the text has. It is the file from now on.
  Expected<void> saveAs(const QString& file);

 Q_SIGNALS:
  // There is something to save, or no more.
  void unsavedChanged(bool isUnsaved);

 private:
  void changeTo(const QString& text, const QString& saved);

  QString m_file, m_text, m_saved;
};

}  // namespace thallo::gui
