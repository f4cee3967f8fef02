#include "gui/problem/energy_text.h"

#include <chrono>
#include <utility>

#include <QFile>

#include "gui/base/file_text.h"
#include "gui/base/text.h"
#include "gui/base/write_file.h"

namespace thallo::gui {
namespace {

using namespace std::chrono_literals;

// The longest time of typing that can be lost. Typing does not restart the delay.
constexpr auto WritingDelay = 500ms;

}  // namespace

EnergyText::EnergyText(const QString& copies, QObject* parent) : QObject(parent), m_copies(copies) {
  m_writing.setSingleShot(true);
  m_writing.setInterval(WritingDelay);
  connect(&m_writing, &QTimer::timeout, this, &EnergyText::writeCopy);
}

EnergyText::~EnergyText() {
  if (m_writing.isActive()) writeCopy();
}

void EnergyText::begin(const QString& file, const QString& saved) {
  m_file = file;
  changeTo(saved, saved);
  findCopy();
}

void EnergyText::setText(const QString& edited) {
  changeTo(textOfEditor(edited, m_saved), m_saved);
}

bool EnergyText::isChangedElsewhere() const {
  QFile file(m_file);
  return file.open(QIODevice::ReadOnly) && file.readAll() != bytesOfText(m_saved);
}

Expected<void> EnergyText::saveAs(const QString& file) {
  THALLO_CHECK(writeFile(file, bytesOfText(m_text), FileBefore::Kept));
  m_file = file;
  changeTo(m_text, m_text);
  return {};
}

void EnergyText::restoreFound() {
  if (!m_found) return;
  // Another window may have been faster.
  if (m_copies.take(*m_found)) setText(editorText(m_found->text));
  m_found.reset();
  Q_EMIT foundChanged();
}

void EnergyText::discardFound() {
  if (m_found) EnergyCopies::remove(*m_found);
  findCopy();
}

void EnergyText::findCopy() {
  m_found = m_copies.find(m_file, m_saved);
  Q_EMIT foundChanged();
}

void EnergyText::writeCopy() {
  const auto kept = m_copies.keep(m_file, m_saved, m_text);
  if (std::exchange(m_cannotWrite, !kept) || kept) return;
  Q_EMIT told(tr("%1. What is typed and not saved is lost if the program is killed.")
                  .arg(toQt(kept.error())));
}

void EnergyText::changeTo(const QString& text, const QString& saved) {
  const bool before = isUnsaved();
  const bool isOther = text != m_text;
  m_text = text;
  m_saved = saved;
  if (!isUnsaved()) {
    m_writing.stop();
    m_copies.drop();
  } else if (isOther && !m_writing.isActive()) {
    m_writing.start();
  }
  if (isUnsaved() != before) Q_EMIT unsavedChanged(!before);
}

}  // namespace thallo::gui
