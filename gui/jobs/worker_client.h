// A worker (core/explore/worker/worker_client.h) in the event loop of the app. Requests are
// answered one after the other. If a worker ends, or is silent for too long, its current request
// fails and another worker is started for the next one. The worker's error output goes to the
// app's log.
#pragma once

#include <deque>
#include <memory>
#include <vector>

#include <QObject>
#include <QSocketNotifier>
#include <QStringList>
#include <QTimer>

#include "core/explore/worker/worker_client.h"

namespace thallo::gui {

class WorkerClient final : public QObject {
 public:
  explicit WorkerClient(const QStringList& command);
  ~WorkerClient() override;

  // Sets the request that each worker gets first. Ends the current worker and its request.
  void setOpenRequest(std::optional<OpenRequest> opening);
  void submit(WorkerCall call);
  // Asks the worker to end the current request, and kills the worker if it does not do so in time.
  // Waiting requests fail at once.
  void cancel();
  bool isBusy() const { return m_worker.is_busy(); }
  qint64 processId() const { return m_worker.process_id(); }  // 0 if there is none

 private:
  void startNext();
  // Waits for what the worker will do next.
  void watch();

  thallo::WorkerClient m_worker;
  std::deque<WorkerCall> m_waiting;
  QTimer m_deadline;
  qint64 m_watched = 0;  // the process that the notifiers belong to
  std::vector<std::unique_ptr<QSocketNotifier>> m_notifiers;
};

}  // namespace thallo::gui
