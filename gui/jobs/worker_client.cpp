#include "gui/jobs/worker_client.h"

#include <utility>

#include <QJsonDocument>
#include <QJsonObject>

#include "core/base/log.h"

namespace thallo::gui {
namespace {

using namespace std::chrono_literals;

// How long a worker that was asked to end a request may take to answer.
constexpr auto Grace = 5s;
constexpr auto OpenPatience = 300s;

QByteArray withId(const QByteArray& json, qint64 id) {
  QJsonObject request = QJsonDocument::fromJson(json).object();
  request.insert("id", id);
  return QJsonDocument(request).toJson(QJsonDocument::Compact) + '\n';
}

}  // namespace

WorkerClient::WorkerClient(QStringList command, QObject* parent)
    : QObject(parent), m_command(std::move(command)) {
  m_patience.setSingleShot(true);
  m_grace.setSingleShot(true);
  connect(&m_process, &QProcess::readyReadStandardOutput, this, &WorkerClient::readLines);
  connect(&m_process, &QProcess::readyReadStandardError, this, [this] {
    const QByteArray text = m_process.readAllStandardError().trimmed();
    if (!text.isEmpty()) logger("gui").info("worker: {}", text.toStdString());
  });
  connect(&m_process, &QProcess::finished, this, &WorkerClient::onEnded);
  connect(&m_process, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
    if (error == QProcess::FailedToStart) onEnded();
  });
  connect(&m_patience, &QTimer::timeout, this, [this] {
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(m_current.patience);
    endProcess();
    finish(fail("the worker said nothing for {} s and was ended", seconds.count()));
  });
  connect(&m_grace, &QTimer::timeout, this, [this] {
    endProcess();
    finish(fail("cancelled"));
  });
}

WorkerClient::~WorkerClient() {
  disconnect(&m_process, nullptr, this, nullptr);
  endProcess();
}

void WorkerClient::setOpenRequest(const QByteArray& json) {
  m_openRequest = json;
  endProcess();
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
    m_process.write(QByteArray::fromStdString(cancel_line(m_lastId)) + '\n');
    if (!m_grace.isActive()) m_grace.start(Grace);
  }
  for (const Request& request : forgotten) request.done(fail("cancelled"));
}

void WorkerClient::startNext() {
  if (m_isBusy || m_waiting.empty()) return;
  m_current = std::move(m_waiting.front());
  m_waiting.pop_front();
  m_isBusy = true;
  if (m_process.state() == QProcess::NotRunning) {
    m_isOpen = false;
    m_process.start(m_command.front(), m_command.mid(1));
  }
  m_isOpening = !m_isOpen && !m_openRequest.isEmpty();
  sendCurrent();
}

void WorkerClient::sendCurrent() {
  m_process.write(withId(m_isOpening ? m_openRequest : m_current.json, ++m_lastId));
  m_patience.start(m_isOpening ? OpenPatience : m_current.patience);
}

void WorkerClient::readLines() {
  while (m_process.canReadLine()) take(m_process.readLine());
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
      return finish(fail("{}", message->is_cancelled ? "cancelled" : message->reason));
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
  m_isOpen = false;
  if (!m_isBusy) return;
  readLines();  // what it said before
  if (!m_isBusy) return;
  if (m_process.error() == QProcess::FailedToStart) {
    finish(fail("{} cannot be started: {}", m_command.front().toStdString(),
                m_process.errorString().toStdString()));
  } else if (m_process.exitStatus() == QProcess::CrashExit) {
    finish(fail("the worker was ended by a signal while it was at work"));
  } else {
    finish(fail("the worker ended with exit code {} while it was at work", m_process.exitCode()));
  }
}

void WorkerClient::endProcess() {
  m_isOpen = false;
  if (m_process.state() == QProcess::NotRunning) return;
  const QSignalBlocker blocker(m_process);
  m_process.kill();
  m_process.waitForFinished(1000);
}

}  // namespace thallo::gui
