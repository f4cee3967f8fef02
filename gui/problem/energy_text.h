// The text of the user's own energy while it is edited, including what was typed and is not saved
// yet. A copy of that is written shortly after each change and kept until the text is saved or
// discarded. What a killed program left is offered when its energy is opened next.
#pragma once

#include <QObject>
#include <QString>
#include <QTimer>

#include "core/base/diagnostic.h"
#include "gui/problem/energy_copies.h"

namespace thallo::gui {

class EnergyText final : public QObject {
  Q_OBJECT

 public:
  // `copies` is the folder of copies. If it is empty, no copies are kept.
  explicit EnergyText(const QString& copies = {}, QObject* parent = nullptr);
  // Writes the copy if the last changes are not in it yet.
  ~EnergyText() override;

  // Starts with the content of the file, as textOfBytes() returns it, and discards what was typed
  // before.
  void begin(const QString& file, const QString& saved);
  const QString& file() const { return m_file; }
  // Returns the typed text, or the saved one if nothing was typed.
  const QString& text() const { return m_text; }
  // Takes the text of an editor. What is not edited stays as it is in the file.
  void setText(const QString& edited);
  bool isUnsaved() const { return m_text != m_saved; }

  void discard() { changeTo(m_saved, m_saved); }
  // True if the file no longer contains the text that was last read from it or written to it here.
  bool isChangedElsewhere() const;
  // Writes the file, entirely or not at all, even if the text has faults, and keeps the one before
  // as FILE~. From now on it is the energy's file.
  Expected<void> saveAs(const QString& file);

  // The unsaved text that a killed program left. Absent once it was restored or discarded.
  const std::optional<EnergyCopy>& found() const { return m_found; }
  // Makes the found text the current one, which is not saved by this.
  void restoreFound();
  void discardFound();

 Q_SIGNALS:
  // Emitted when there begins, or ceases, to be something to save.
  void unsavedChanged(bool isUnsaved);
  // Emitted when found() changes.
  void foundChanged();
  // Emitted with a sentence for the user if a copy cannot be written.
  void told(const QString& sentence);

 private:
  void changeTo(const QString& text, const QString& saved);
  void findCopy();
  void writeCopy();

  QString m_file, m_text, m_saved;
  EnergyCopies m_copies;
  std::optional<EnergyCopy> m_found;
  QTimer m_writing;
  bool m_cannotWrite = false;  // and that was told
};

}  // namespace thallo::gui
