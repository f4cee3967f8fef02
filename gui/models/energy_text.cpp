#include "gui/models/energy_text.h"

#include <QFile>
#include <QSaveFile>

namespace thallo::gui {

void EnergyText::begin(const QString& file, const QString& saved) {
  m_file = file;
  changeTo(saved, saved);
}

void EnergyText::setText(const QString& text) { changeTo(text, m_saved); }

bool EnergyText::isChangedElsewhere() const {
  QFile file(m_file);
  return file.open(QIODevice::ReadOnly) && QString::fromUtf8(file.readAll()) != m_saved;
}

Expected<void> EnergyText::saveAs(const QString& file) {
  QSaveFile out(file);
  const bool isWritten =
      out.open(QIODevice::WriteOnly) && out.write(m_text.toUtf8()) >= 0 && out.commit();
  if (!isWritten) {
    return fail("{} cannot be written: {}", file.toStdString(), out.errorString().toStdString());
  }
  m_file = file;
  changeTo(m_text, m_text);
  return {};
}

void EnergyText::changeTo(const QString& text, const QString& saved) {
  const bool before = isUnsaved();
  m_text = text;
  m_saved = saved;
  if (isUnsaved() != before) Q_EMIT unsavedChanged(!before);
}

}  // namespace thallo::gui
