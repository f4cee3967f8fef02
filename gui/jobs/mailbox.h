// A queue of calls. Any thread can post a call; the thread that the mailbox lives in makes the
// calls in order when its event loop runs. Calls that are left when the mailbox is destroyed are
// not made.
//
// A std::mutex protects the data that a call has captured. Thread sanitizers understand a
// std::mutex, but not the locks inside Qt's event queue.
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
