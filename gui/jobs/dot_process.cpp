#include "gui/jobs/dot_process.h"

#include <utility>

#include <QMetaObject>

#include "gui/jobs/end_process.h"

namespace thallo::gui {
namespace {

using namespace std::chrono_literals;

constexpr auto Limit = 20s;
constexpr int MostKept = 64;

}  // namespace

DotProcess::DotProcess(QString program) : m_program(std::move(program)), m_made(MostKept) {
  m_limit.setSingleShot(true);
  m_limit.setInterval(Limit);
  connect(&m_limit, &QTimer::timeout, this, [this] {
    endCurrent();
    finish(fail("{} was ended since it had made no layout after {} s", m_program.toStdString(),
                m_limit.interval() / 1000));
  });
}

DotProcess::~DotProcess() { endCurrent(); }

void DotProcess::layOut(const QByteArray& text, Done done) {
  cancel();
  m_text = text;
  m_done = std::move(done);
  if (const QByteArray* made = m_made.object(text)) {
    // Calls back later, as for any other layout: callers do not expect the call now.
    QMetaObject::invokeMethod(
        this,
        [this, text, json = *made] {
          if (m_done != nullptr && m_text == text) finish(json);
        },
        Qt::QueuedConnection);
    return;
  }
  m_process = new QProcess(this);
  connect(m_process, &QProcess::finished, this, &DotProcess::onFinished);
  connect(m_process, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
    if (error != QProcess::FailedToStart) return;
    endCurrent();
    finish(fail("the program {} was not found; it is part of the package graphviz",
                m_program.toStdString()));
  });
  m_limit.start();
  m_process->start(m_program, {"-Tjson"});
  if (m_process == nullptr) return;  // it was not found
  m_process->write(text);
  m_process->closeWriteChannel();
}

void DotProcess::cancel() {
  m_done = nullptr;
  endCurrent();
}

void DotProcess::onFinished() {
  const bool isWell = m_process->exitStatus() == QProcess::NormalExit && m_process->exitCode() == 0;
  const QByteArray json = m_process->readAllStandardOutput();
  const QString said = QString::fromUtf8(m_process->readAllStandardError()).trimmed();
  endCurrent();
  if (isWell) {
    m_made.insert(m_text, new QByteArray(json));
    finish(json);
  } else {
    finish(fail("{} failed: {}", m_program.toStdString(), said.left(400).toStdString()));
  }
}

void DotProcess::finish(const Expected<QByteArray>& json) {
  m_limit.stop();
  if (const Done done = std::exchange(m_done, nullptr)) done(json);
}

void DotProcess::endCurrent() {
  m_limit.stop();
  if (QProcess* process = std::exchange(m_process, nullptr)) endProcess(process);
}

}  // namespace thallo::gui
