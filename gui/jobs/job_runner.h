// Runs work on background threads. A job belongs to a slot, such as "graph" or "prediction".
// Starting another job in the same slot makes the previous one stale: it is not begun, or is asked
// to stop, and its result is dropped.
//
//   runner.start("prediction",
//                [schedule](std::stop_token) -> Expected<Prediction> { return predict(schedule); },
//                [this](Expected<Prediction> prediction) { show(std::move(prediction)); });
//
// Work runs on a thread of the runner; if there is one thread, jobs run one after the other. The
// results are delivered on the thread that the runner lives in. Work must own what it reads: it
// captures values, or shared pointers to data that nobody changes.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <stop_token>
#include <type_traits>
#include <utility>

#include <QObject>
#include <QString>
#include <QThreadPool>

#include "core/base/diagnostic.h"
#include "gui/jobs/mailbox.h"

namespace thallo::gui {

class JobRunner final : public QObject {
  Q_OBJECT

 public:
  explicit JobRunner(int numThreads);
  // Asks all work to stop and waits for it.
  ~JobRunner() override;

  // `work` is called with a std::stop_token and returns Expected<T>; an exception that it throws
  // becomes a failure. `done` is called with the result, unless the job has become stale.
  template <class Work, class Done>
  void start(const QString& slot, Work work, Done done) {
    using Result = std::invoke_result_t<Work, std::stop_token>;
    begin(slot, [this, work = std::move(work), done = std::move(done)](const Ticket& ticket) {
      auto result = std::make_shared<Result>(guarded<Result>(work, ticket.stop.get_token()));
      deliver(ticket, [result, done]() mutable { done(std::move(*result)); });
    });
  }
  // Lets running work report something: `call` is made on the thread that the runner lives in.
  void post(std::function<void()> call) { m_mailbox.post(std::move(call)); }
  // Makes the job of a slot stale, if there is one.
  void cancel(const QString& slot);
  bool isBusy(const QString& slot) const { return m_current.contains(slot); }

 Q_SIGNALS:
  // Emitted when a job of the slot was started, delivered or cancelled.
  void busyChanged(const QString& slot, bool isBusy);

 private:
  struct Ticket {
    QString slot;
    std::uint64_t number = 0;
    std::stop_source stop;
  };

  void begin(const QString& slot, std::function<void(const Ticket&)> job);
  void runNext();
  void deliver(const Ticket& ticket, std::function<void()> done);
  static Diagnostic currentFault();

  template <class Result, class Work>
  static Result guarded(const Work& work, std::stop_token stop) {
    try {
      return work(std::move(stop));
    } catch (...) {
      return Result(tl::unexpect, currentFault());
    }
  }

  QThreadPool m_threads;
  // The jobs that the threads will begin, and the number of unfinished jobs. A std::mutex protects
  // both, for the same reason as in Mailbox.
  std::mutex m_mutex;
  std::deque<std::function<void()>> m_waiting;
  std::size_t m_numUnfinished = 0;
  std::condition_variable m_allFinished;
  Mailbox m_mailbox;
  std::map<QString, Ticket> m_current;
  std::uint64_t m_lastNumber = 0;
};

}  // namespace thallo::gui
