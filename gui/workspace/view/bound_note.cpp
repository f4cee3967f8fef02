#include "gui/workspace/view/bound_note.h"

#include <algorithm>
#include <utility>

#include <QHBoxLayout>
#include <QPixmap>

#include "gui/widgets/labels.h"
#include "gui/widgets/layouts.h"
#include "gui/widgets/theme.h"

namespace thallo::gui {
namespace {

constexpr int ThumbnailSide = 48;

}  // namespace

BoundNote::BoundNote(QWidget* editor, QString meaning)
    : m_editor(editor), m_meaning(std::move(meaning)), m_picture(nullptr), m_text(wrappedLabel()) {
  auto* layout = new QHBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(8);
  layout->addWidget(m_text, 1, Qt::AlignVCenter);
  refresh();
}

void BoundNote::show(const InputFacts& facts) {
  if (facts == m_facts) return;
  m_facts = facts;
  refresh();
}

void BoundNote::refresh() {
  const bool isWell = m_facts.fault.isEmpty();
  QStringList lines = isWell ? QStringList{m_facts.size, m_meaning} : QStringList{m_facts.fault};
  if (!isWell && !m_facts.size.isEmpty()) lines.append(tr("It is bound to %1.").arg(m_facts.size));
  lines.removeAll(QString());
  m_text->setText(lines.join('\n'));
  m_text->setForegroundRole(isWell ? QPalette::PlaceholderText : FaultRole);
  const QImage& thumbnail = m_facts.thumbnail;
  if (m_picture == nullptr && !thumbnail.isNull()) {
    m_picture = named(new QLabel, "thumbnail");
    static_cast<QHBoxLayout*>(layout())->insertWidget(0, m_picture, 0, Qt::AlignTop);
  }
  if (m_picture != nullptr) m_picture->setVisible(!thumbnail.isNull());
  if (!thumbnail.isNull()) {
    QPixmap picture = QPixmap::fromImage(thumbnail);
    picture.setDevicePixelRatio(static_cast<double>(std::max(picture.width(), picture.height())) /
                                ThumbnailSide);
    m_picture->setPixmap(picture);
  }
  // Before it is in a form, it would be a window of its own.
  if (lines.isEmpty() || parentWidget() != nullptr) setVisible(!lines.isEmpty());
  if (m_editor) m_editor->setAccessibleDescription(m_text->text());
}

}  // namespace thallo::gui
