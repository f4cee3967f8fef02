#include "gui/jobs/command.h"

#include <utility>

#include "gui/jobs/end_process.h"

namespace thallo::gui {

Command::Command(const QStringList& program, Done done, QObject* parent,
                 std::chrono::milliseconds limit)
    : QObject(parent), m_done(std::move(done)), m_process(new QProcess(this)) {
  connect(m_process, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
    if (error == QProcess::FailedToStart)
      finish(tr("%1 cannot be started: %2").arg(m_process->program(), m_process->errorString()));
  });
  connect(m_process, &QProcess::finished, this, [this](int code, QProcess::ExitStatus status) {
    if (status == QProcess::NormalExit && code == 0) return finish({});
    const QString said = QString::fromUtf8(m_process->readAllStandardError()).trimmed();
    finish(said.isEmpty() ? tr("%1 ended with code %2").arg(m_process->program()).arg(code) : said);
  });
  m_limit.setSingleShot(true);
  connect(&m_limit, &QTimer::timeout, this, [this, limit] {
    finish(tr("%1 did not end within %2 s")
               .arg(m_process->program())
               .arg(std::chrono::duration_cast<std::chrono::seconds>(limit).count()));
  });
  m_limit.start(limit);
  QTimer::singleShot(0, this,
                     [this, program] { m_process->start(program.front(), program.mid(1)); });
}

Command::~Command() { endProcess(m_process); }

void Command::finish(const QString& fault) {
  const Done done = std::exchange(m_done, {});
  if (!done) return;
  m_limit.stop();
  if (fault.isEmpty())
    done(QString::fromUtf8(m_process->readAllStandardOutput()));
  else
    done(fail("{}", fault.toStdString()));
  deleteLater();
}

}  // namespace thallo::gui
