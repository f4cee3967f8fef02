#include "gui/jobs/mailbox.h"

#include <utility>

#include <QMetaObject>

namespace thallo::gui {

void Mailbox::post(std::function<void()> call) {
  {
    const std::lock_guard lock(m_mutex);
    m_calls.push_back(std::move(call));
  }
  QMetaObject::invokeMethod(this, "makeNext", Qt::QueuedConnection);
}

void Mailbox::makeNext() {
  std::function<void()> call;
  {
    const std::lock_guard lock(m_mutex);
    call = std::move(m_calls.front());
    m_calls.pop_front();
  }
  call();
}

}  // namespace thallo::gui
