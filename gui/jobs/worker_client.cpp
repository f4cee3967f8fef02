#include "gui/jobs/worker_client.h"

#include <utility>

#include "core/base/log.h"
#include "gui/jobs/end_process.h"

namespace thallo::gui {
namespace {

using namespace std::chrono_literals;

// How long a worker may take to answer after it was asked to end a request.
constexpr auto Grace = 5s;
constexpr auto OpenPatience = 300s;

}  // namespace

WorkerClient::WorkerClient(QStringList command, QObject* parent)
    : QObject(parent), m_command(std::move(command)) {
  m_patience.setSingleShot(true);
  m_grace.setSingleShot(true);
  connect(&m_patience, &QTimer::timeout, this, [this] {
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(m_current.patience);
    endCurrent();
    finish(fail("the worker said nothing for {} s and was ended", seconds.count()));
  });
  connect(&m_grace, &QTimer::timeout, this, [this] {
    endCurrent();
    finish(fail("cancelled"));
  });
}

WorkerClient::~WorkerClient() { endCurrent(); }

void WorkerClient::setOpenRequest(std::optional<OpenRequest> opening) {
  m_openRequest = std::move(opening);
  endCurrent();
  std::deque<Request> forgotten = std::exchange(m_waiting, {});
  if (m_isBusy) finish(fail("cancelled"));
  for (const Request& request : forgotten) request.done(fail("cancelled"));
}

void WorkerClient::submit(Request request) {
  m_waiting.push_back(std::move(request));
  startNext();
}

void WorkerClient::cancel() {
  std::deque<Request> forgotten = std::exchange(m_waiting, {});
  if (m_isBusy) {
    m_process->write(QByteArray::fromStdString(request_line(m_lastId, CancelRequest())) + '\n');
    if (!m_grace.isActive()) m_grace.start(Grace);
  }
  for (const Request& request : forgotten) request.done(fail("cancelled"));
}

void WorkerClient::startNext() {
  if (m_isBusy || m_waiting.empty()) return;
  m_current = std::move(m_waiting.front());
  m_waiting.pop_front();
  m_isBusy = true;
  if (m_process == nullptr || m_process->state() == QProcess::NotRunning) startProcess();
  m_isOpening = !m_isOpen && m_openRequest.has_value();
  sendCurrent();
}

void WorkerClient::startProcess() {
  endCurrent();
  auto* process = m_process = new QProcess(this);
  connect(process, &QProcess::readyReadStandardOutput, this, &WorkerClient::readLines);
  connect(process, &QProcess::readyReadStandardError, this, [process] {
    const QByteArray text = process->readAllStandardError().trimmed();
    if (!text.isEmpty()) logger("gui").info("worker: {}", text.toStdString());
  });
  connect(process, &QProcess::finished, this, &WorkerClient::onEnded);
  // Reports the failure later, as the end of a process is: the caller does not expect it now.
  connect(
      process, &QProcess::errorOccurred, this,
      [this, process](QProcess::ProcessError error) {
        if (error == QProcess::FailedToStart && process == m_process) onEnded();
      },
      Qt::QueuedConnection);
  process->start(m_command.front(), m_command.mid(1));
}

void WorkerClient::sendCurrent() {
  const WorkerRequest request = m_isOpening ? *m_openRequest : m_current.request;
  m_process->write(QByteArray::fromStdString(request_line(++m_lastId, request)) + '\n');
  m_patience.start(m_isOpening ? OpenPatience : m_current.patience);
}

void WorkerClient::readLines() {
  // Handling a line may end the worker.
  while (m_process != nullptr && m_process->canReadLine()) take(m_process->readLine());
}

void WorkerClient::take(const QByteArray& line) {
  const auto message = read_message(line.toStdString());
  if (!message) {
    logger("gui").warn("a worker sent what is no message: {}", line.trimmed().toStdString());
    return;
  }
  if (!m_isBusy || message->id != m_lastId) return;
  m_patience.start();
  switch (message->kind) {
    case WorkerMessage::Kind::Doing:
    case WorkerMessage::Kind::Part:
      if (!m_isOpening && m_current.message) m_current.message(*message);
      return;
    case WorkerMessage::Kind::Error:
      return finish(fail("{}", message->fault.is_cancelled ? "cancelled" : message->fault.reason));
    case WorkerMessage::Kind::Answer: break;
  }
  if (!m_isOpening) return finish(*message);
  m_isOpening = false;
  m_isOpen = true;
  sendCurrent();
}

void WorkerClient::finish(const Expected<WorkerMessage>& answer) {
  m_patience.stop();
  m_grace.stop();
  m_isBusy = m_isOpening = false;
  const auto done = std::exchange(m_current, {}).done;
  done(answer);
  startNext();
}

void WorkerClient::onEnded() {
  QProcess* ended = m_process;
  readLines();                     // output from before its end
  if (m_process != ended) return;  // a line was the answer, and another worker runs now
  const auto error = ended->error();
  const auto status = ended->exitStatus();
  const int code = ended->exitCode();
  const std::string why = ended->errorString().toStdString();
  endCurrent();
  if (!m_isBusy) return;
  if (error == QProcess::FailedToStart)
    finish(fail("{} cannot be started: {}", m_command.front().toStdString(), why));
  else if (status == QProcess::CrashExit)
    finish(fail("the worker was ended by a signal while it was at work"));
  else
    finish(fail("the worker ended with exit code {} while it was at work", code));
}

void WorkerClient::endCurrent() {
  m_isOpen = false;
  if (QProcess* process = std::exchange(m_process, nullptr)) endProcess(process);
}

}  // namespace thallo::gui
