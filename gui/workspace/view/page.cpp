#include "gui/workspace/view/page.h"

#include <utility>

#include "gui/widgets/labels.h"
#include "gui/widgets/layouts.h"

namespace thallo::gui {

Page::Page(Workspace& workspace, const QString& id, const QString& title)
    : m_workspace(workspace),
      m_id(id),
      m_title(title),
      m_notice(new QWidget(this)),
      m_noticeText(named(textLabel(), "notice")),
      m_noticeRow(new QHBoxLayout) {
  named(this, id + "Page", title);
  m_noticeText->setAlignment(Qt::AlignCenter);
  m_noticeRow->setAlignment(Qt::AlignHCenter);
  m_notice->setLayout(makeColumn({Cell::gap(), m_noticeText, m_noticeRow, Cell::gap()}));
  setLayout(makeColumn({m_notice}, {0, 0, 0, 0}));
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
  const bool isReady = state == RemoteState::Ready;
  // If the old content remains visible, a short wait is not announced, because the message would
  // flicker.
  const bool hasNotice = !isReady && !(keepsContent && state == RemoteState::Busy);
  if (hasNotice) m_noticeText->setText(message);
  m_notice->setVisible(hasNotice);
  m_notice->setMaximumHeight(keepsContent ? m_notice->sizeHint().height() : QWIDGETSIZE_MAX);
  if (m_content != nullptr) m_content->setVisible(isReady || keepsContent);
}

void Page::setAction(const QString& text, std::function<void()> action) {
  if (text.isEmpty()) return setActions({});
  setActions({{text, std::move(action)}});
}

void Page::setActions(std::vector<PageAction> actions) {
  m_actions = std::move(actions);
  while (m_noticeButtons.size() < m_actions.size()) {
    const std::size_t i = m_noticeButtons.size();
    auto* button = named(new QPushButton(m_notice),
                         i == 0 ? "noticeAction" : QString("noticeAction%1").arg(i + 1));
    // Copies the action, since it may replace the actions.
    connect(button, &QPushButton::clicked, this, [this, i] {
      if (i >= m_actions.size()) return;
      const std::function<void()> run = m_actions[i].run;
      run();
    });
    m_noticeRow->addWidget(button);
    m_noticeButtons.push_back(button);
  }
  for (std::size_t i = 0; i < m_noticeButtons.size(); ++i) {
    const bool isUsed = i < m_actions.size();
    m_noticeButtons[i]->setVisible(isUsed);
    if (!isUsed) continue;
    m_noticeButtons[i]->setText(m_actions[i].text);
    m_noticeButtons[i]->setToolTip(m_actions[i].toolTip);
  }
}

}  // namespace thallo::gui
