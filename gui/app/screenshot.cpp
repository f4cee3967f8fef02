#include "gui/app/screenshot.h"

#include <chrono>
#include <utility>

#include <QPixmap>

namespace thallo::gui {
namespace {

using namespace std::chrono_literals;

constexpr auto Interval = 50ms;
constexpr auto Limit = 120s;
// A page can look ready for a moment between two steps of its work, so it must be ready at this
// many checks in a row.
constexpr int NeededLooks = 4;

}  // namespace

Screenshot::Screenshot(MainWindow& window, QString file,
                       std::function<void(const QString& fault)> done)
    : QObject(&window), m_window(window), m_file(std::move(file)), m_done(std::move(done)) {
  connect(&m_poll, &QTimer::timeout, this, &Screenshot::look);
  connect(&m_limit, &QTimer::timeout, this, [this] {
    finish(tr("the page was not ready after %1 s: %2")
               .arg(Limit.count())
               .arg(m_window.currentPage().message()));
  });
  m_poll.start(Interval);
  m_limit.start(Limit);
}

void Screenshot::look() {
  Page& page = m_window.currentPage();
  if (m_window.isSettled()) page.prepareForPicture();
  if (page.state() == RemoteState::Failed) return finish(page.message());
  m_settledLooks = page.isSettled() && m_window.isSettled() ? m_settledLooks + 1 : 0;
  if (m_settledLooks < NeededLooks) return;
  const bool isWritten = m_window.grab().save(m_file);
  finish(isWritten ? QString() : tr("%1 cannot be written").arg(m_file));
}

void Screenshot::finish(const QString& fault) {
  m_poll.stop();
  m_limit.stop();
  m_done(fault);
}

}  // namespace thallo::gui
