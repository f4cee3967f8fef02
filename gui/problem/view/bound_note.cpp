#include "gui/problem/view/bound_note.h"

#include <utility>

#include <QHBoxLayout>
#include <QPixmap>

#include "gui/widgets/theme.h"

namespace thallo::gui {
namespace {

constexpr int ThumbnailSide = 48;

}  // namespace

BoundNote::BoundNote(QWidget* editor, QString meaning, QWidget* parent)
    : QWidget(parent),
      m_editor(editor),
      m_meaning(std::move(meaning)),
      m_picture(new QLabel),
      m_text(new QLabel) {
  m_picture->setObjectName("thumbnail");
  m_text->setWordWrap(true);
  auto* layout = new QHBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(8);
  layout->addWidget(m_picture, 0, Qt::AlignTop);
  layout->addWidget(m_text, 1, Qt::AlignVCenter);
  show({});
}

void BoundNote::show(const InputFacts& facts) {
  const bool isWell = facts.fault.isEmpty();
  QStringList lines = isWell ? QStringList{facts.size, m_meaning} : QStringList{facts.fault};
  if (!isWell && !facts.size.isEmpty()) lines.append(tr("It is bound to %1.").arg(facts.size));
  lines.removeAll(QString());
  m_text->setText(lines.join('\n'));
  m_text->setForegroundRole(isWell ? QPalette::PlaceholderText : FaultRole);
  m_picture->setVisible(!facts.thumbnail.isNull());
  if (!facts.thumbnail.isNull()) {
    QPixmap thumbnail = QPixmap::fromImage(facts.thumbnail);
    thumbnail.setDevicePixelRatio(static_cast<double>(thumbnail.width() > thumbnail.height()
                                                          ? thumbnail.width()
                                                          : thumbnail.height()) /
                                  ThumbnailSide);
    m_picture->setPixmap(thumbnail);
  }
  setVisible(!lines.isEmpty());
  if (m_editor) m_editor->setAccessibleDescription(m_text->text());
}

}  // namespace thallo::gui
