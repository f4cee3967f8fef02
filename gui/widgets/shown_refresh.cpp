#include "gui/widgets/shown_refresh.h"

#include <algorithm>
#include <utility>

#include <QEvent>

namespace thallo::gui {

ShownRefresh::ShownRefresh(QWidget& widget, std::function<void()> refresh)
    : QObject(&widget), m_widget(widget), m_refresh(std::move(refresh)) {
  m_soon.setSingleShot(true);
  connect(&m_soon, &QTimer::timeout, this, &ShownRefresh::run);
  widget.installEventFilter(this);
}

void ShownRefresh::ask() {
  m_isAsked = true;
  run();
}

void ShownRefresh::askFor(const std::function<void()>& part) {
  if (m_widget.isVisible() && !m_isAsked) return part();
  m_isAsked = true;
}

void ShownRefresh::askSoon() {
  m_isAsked = true;
  if (m_widget.isVisible()) m_soon.start();
}

void ShownRefresh::hurry() {
  if (m_soon.isActive()) run();
}

bool ShownRefresh::isUnderWay(const QWidget& root) {
  return std::ranges::any_of(root.findChildren<ShownRefresh*>(),
                             [](const ShownRefresh* its) { return its->m_soon.isActive(); });
}

bool ShownRefresh::eventFilter(QObject* /*watched*/, QEvent* event) {
  if (event->type() == QEvent::Show && m_isAsked) m_soon.start();
  return false;
}

void ShownRefresh::run() {
  m_soon.stop();
  if (m_widget.isVisible() && std::exchange(m_isAsked, false)) m_refresh();
}

}  // namespace thallo::gui
