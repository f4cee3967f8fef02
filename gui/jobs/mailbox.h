// Calls that any thread leaves for the thread of the mailbox, which makes them in their order when
// its event loop runs; those that are still there when the mailbox is destroyed are not made.
//
// What a call has captured goes from thread to thread under a std::mutex. Thread sanitizers know
// that, and not the locks inside of Qt's event queue.
#pragma once

#include <deque>
#include <functional>
#include <mutex>

#include <QObject>

namespace thallo::gui {

class Mailbox final : public QObject {
  Q_OBJECT

 public:
  using QObject::QObject;

  void post(std::function<void()> call);

 private:
  Q_INVOKABLE void makeNext();

  std::mutex m_mutex;
  std::deque<std::function<void()>> m_calls;
};

}  // namespace thallo::gui
