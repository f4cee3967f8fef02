// A `thallo worker` (core/explore/work/worker.h) as a child process of the app. Requests are
// answered one after the other; a worker that ends, or says nothing for too long, fails the request
// that it was at and is started again for the next one. What a worker prints to its error output
// goes to the app's log.
#pragma once

#include <chrono>
#include <deque>
#include <functional>

#include <QObject>
#include <QProcess>
#include <QString>
#include <QStringList>
#include <QTimer>

#include "core/base/diagnostic.h"
#include "core/explore/work/messages.h"

namespace thallo::gui {

class WorkerClient final : public QObject {
  Q_OBJECT

 public:
  struct Request {
    // A JSON object without an id: "do" and what belongs to it.
    QByteArray json;
    // The time from one message to the next after which the worker is given up.
    std::chrono::milliseconds patience{120'000};
    // Called for each message before the answer.
    std::function<void(const WorkerMessage& message)> message = {};
    // Called once: the answer, or why there is none: "cancelled" where that was asked for.
    std::function<void(const Expected<WorkerMessage>& answer)> done;
  };

  // How a worker is started; the first request of each worker is `open` (without an id).
  explicit WorkerClient(QStringList command, QObject* parent = nullptr);
  ~WorkerClient() override;

  // What each worker is sent first. Ends the worker there is, with what it was at.
  void setOpenRequest(const QByteArray& json);
  void submit(Request request);
  // Asks the worker to end the request that is under way, and kills it when it has not after a
  // while. Requests that wait fail at once.
  void cancel();
  bool isBusy() const { return m_isBusy; }
  qint64 processId() const { return m_process == nullptr ? 0 : m_process->processId(); }

 private:
  void startNext();
  void startProcess();
  void sendCurrent();
  void readLines();
  void take(const QByteArray& line);
  void finish(const Expected<WorkerMessage>& answer);
  void onEnded();
  void endCurrent();

  QStringList m_command;
  QByteArray m_openRequest;
  QProcess* m_process = nullptr;  // null unless a worker runs
  QTimer m_patience, m_grace;
  std::deque<Request> m_waiting;
  Request m_current;
  bool m_isBusy = false, m_isOpening = false, m_isOpen = false;
  qint64 m_lastId = 0;
};

}  // namespace thallo::gui
