#include "gui/views/page.h"

#include <utility>

#include <QVBoxLayout>

namespace thallo::gui {

Page::Page(Workspace& workspace, const QString& id, const QString& title, QWidget* parent)
    : QWidget(parent),
      m_workspace(workspace),
      m_id(id),
      m_title(title),
      m_notice(new QWidget(this)),
      m_noticeText(new QLabel(m_notice)),
      m_noticeButton(new QPushButton(m_notice)) {
  setObjectName(id + "Page");
  setAccessibleName(title);
  m_noticeText->setObjectName("notice");
  m_noticeText->setWordWrap(true);
  m_noticeText->setTextInteractionFlags(Qt::TextSelectableByMouse);
  m_noticeText->setAlignment(Qt::AlignCenter);
  m_noticeButton->setObjectName("noticeAction");
  m_noticeButton->hide();
  connect(m_noticeButton, &QPushButton::clicked, this, [this] {
    if (m_action) m_action();
  });
  auto* notice = new QVBoxLayout(m_notice);
  notice->addStretch();
  notice->addWidget(m_noticeText);
  notice->addWidget(m_noticeButton, 0, Qt::AlignHCenter);
  notice->addStretch();
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(m_notice);
}

void Page::setHeader(QWidget* header) {
  static_cast<QVBoxLayout*>(layout())->insertWidget(0, header);
}

void Page::setContent(QWidget* content) {
  m_content = content;
  static_cast<QVBoxLayout*>(layout())->addWidget(content, 1);
  content->setVisible(m_state == RemoteState::Ready);
}

void Page::setState(RemoteState state, const QString& message, bool keepsContent) {
  m_state = state;
  m_message = message;
  m_noticeText->setText(message);
  const bool isReady = state == RemoteState::Ready;
  // Where the old content stays, a short wait is not announced: it would flicker.
  m_notice->setVisible(!isReady && !(keepsContent && state == RemoteState::Busy));
  m_notice->setMaximumHeight(keepsContent ? m_notice->sizeHint().height() : QWIDGETSIZE_MAX);
  if (m_content != nullptr) m_content->setVisible(isReady || keepsContent);
  Q_EMIT stateChanged();
}

void Page::setAction(const QString& text, std::function<void()> action) {
  m_action = std::move(action);
  m_noticeButton->setText(text);
  m_noticeButton->setVisible(!text.isEmpty());
}

}  // namespace thallo::gui
