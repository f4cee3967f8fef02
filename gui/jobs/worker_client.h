// Runs `thallo worker` (core/explore/worker/worker.h) as a child process of the app. Requests are
// answered one after the other. If a worker ends, or is silent for too long, its current request
// fails and another worker is started for the next one. The worker's error output goes to the app's
// log.
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
#include "core/explore/worker/messages.h"
#include "core/explore/worker/requests.h"

namespace thallo::gui {

class WorkerClient final : public QObject {
  Q_OBJECT

 public:
  struct Request {
    WorkerRequest request;
    // If no message arrives for this long, the worker is killed.
    std::chrono::milliseconds patience{120'000};
    // Called for each message before the answer.
    std::function<void(const WorkerMessage& message)> message = {};
    // Called once, with the answer or the reason why there is none; "cancelled" if it was
    // cancelled.
    std::function<void(const Expected<WorkerMessage>& answer)> done;
  };

  // `command` starts a worker. The first request to each worker is the open request.
  explicit WorkerClient(QStringList command, QObject* parent = nullptr);
  ~WorkerClient() override;

  // Sets the request that each worker gets first. Ends the current worker and its request.
  void setOpenRequest(std::optional<OpenRequest> opening);
  void submit(Request request);
  // Asks the worker to end the current request, and kills the worker if it does not do so in time.
  // Waiting requests fail at once.
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
  std::optional<OpenRequest> m_openRequest;
  QProcess* m_process = nullptr;  // null if no worker runs
  QTimer m_patience, m_grace;
  std::deque<Request> m_waiting;
  Request m_current;
  bool m_isBusy = false, m_isOpening = false, m_isOpen = false;
  qint64 m_lastId = 0;
};

}  // namespace thallo::gui
