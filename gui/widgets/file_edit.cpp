#include "gui/widgets/file_edit.h"

#include <QDragEnterEvent>
#include <QDropEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QMimeData>
#include <QToolButton>

#include "gui/widgets/layouts.h"

namespace thallo::gui {

FileEdit::FileEdit(Asks asks) : m_asks(asks), m_line(new QLineEdit) {
  setAcceptDrops(true);
  // The whole widget accepts drops, because the line would insert a URL.
  m_line->setAcceptDrops(false);
  setFocusProxy(m_line);
  auto* browse = toolButton({}, QStringLiteral("…"), tr("Choose a file"));
  connect(browse, &QToolButton::clicked, this, &FileEdit::browse);
  setLayout(makeRow({{m_line, 1}, browse}, {0, 0, 0, 0}, 4));
}

void FileEdit::browse() {
  auto* dialog = new QFileDialog(this, {}, QFileInfo(text()).path());
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setFileMode(m_asks == Asks::ForFile ? QFileDialog::ExistingFile : QFileDialog::AnyFile);
  if (m_asks == Asks::ForFileToWrite) dialog->setAcceptMode(QFileDialog::AcceptSave);
  connect(dialog, &QFileDialog::fileSelected, m_line, &QLineEdit::setText);
  dialog->open();
}

void FileEdit::dragEnterEvent(QDragEnterEvent* event) {
  const QList<QUrl> urls = event->mimeData()->urls();
  if (urls.size() == 1 && urls.front().isLocalFile()) event->acceptProposedAction();
}

void FileEdit::dropEvent(QDropEvent* event) {
  m_line->setText(event->mimeData()->urls().front().toLocalFile());
  event->acceptProposedAction();
}

}  // namespace thallo::gui
