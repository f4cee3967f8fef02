#include "gui/jobs/end_process.h"

#include <QCoreApplication>

namespace thallo::gui {
namespace {

// So long that most have ended, and so short that nobody notices.
constexpr int GraceMilliseconds = 20;

}  // namespace

void endProcess(QProcess* process) {
  process->disconnect();
  if (process->state() != QProcess::NotRunning) {
    process->kill();
    if (!process->waitForFinished(GraceMilliseconds)) {
      process->setParent(QCoreApplication::instance());
      QObject::connect(process, &QProcess::finished, process, &QObject::deleteLater);
      return;
    }
  }
  process->deleteLater();
}

}  // namespace thallo::gui
