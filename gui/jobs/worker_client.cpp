#include "gui/jobs/worker_client.h"

#include <algorithm>
#include <utility>

namespace thallo::gui {
namespace {

using namespace std::chrono_literals;

// How long a worker may take to answer after it was asked to end a request.
constexpr auto Grace = 5s;
constexpr auto OpenPatience = 300s;

WorkAnswer cancelled() {
  return {.status = ResultStatus::NotRun, .reason = "cancelled", .is_cancelled = true};
}

std::vector<std::string> wordsOf(const QStringList& command) {
  std::vector<std::string> words;
  for (const QString& word : command) words.push_back(word.toStdString());
  return words;
}

}  // namespace

WorkerClient::WorkerClient(const QStringList& command)
    : m_worker(wordsOf(command), {.logs_errors = true, .waits_for_end = false}) {
  m_deadline.setSingleShot(true);
  connect(&m_deadline, &QTimer::timeout, this, [this] {
    m_worker.check();
    watch();
  });
}

WorkerClient::~WorkerClient() = default;

void WorkerClient::setOpenRequest(std::optional<OpenRequest> opening) {
  const auto forgotten = std::exchange(m_waiting, {});
  const auto dropped = m_worker.set_opening(std::move(opening), OpenPatience);
  watch();
  if (dropped) dropped->done(cancelled());
  for (const WorkerCall& call : forgotten) call.done(cancelled());
}

void WorkerClient::submit(WorkerCall call) {
  m_waiting.push_back(std::move(call));
  startNext();
}

void WorkerClient::cancel() {
  m_worker.cancel(Grace);
  watch();
  for (const WorkerCall& call : std::exchange(m_waiting, {})) call.done(cancelled());
}

void WorkerClient::startNext() {
  if (isBusy() || m_waiting.empty()) return;
  WorkerCall call = std::move(m_waiting.front());
  m_waiting.pop_front();
  call.done = [this, done = std::move(call.done)](const WorkAnswer& answer) {
    done(answer);
    startNext();
  };
  m_worker.begin(std::move(call));
  watch();
}

void WorkerClient::watch() {
  if (m_watched != processId()) {
    m_watched = processId();
    for (auto& notifier : m_notifiers) {
      // It may be the one that is calling now.
      notifier->setEnabled(false);
      notifier.release()->deleteLater();
    }
    m_notifiers.clear();
    for (const int output : m_worker.outputs()) {
      auto& notifier = m_notifiers.emplace_back(
          std::make_unique<QSocketNotifier>(output, QSocketNotifier::Read));
      connect(notifier.get(), &QSocketNotifier::activated, this, [this] {
        m_worker.take();
        watch();
      });
    }
  }
  if (!isBusy()) return m_deadline.stop();
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(
      m_worker.deadline() - thallo::WorkerClient::Clock::now());
  m_deadline.start(std::max(0ms, left));
}

}  // namespace thallo::gui
