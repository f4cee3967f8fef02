#include "gui/jobs/end_process.h"

#include <QCoreApplication>

namespace thallo::gui {
namespace {

// So long that most have ended, and so short that nobody notices.
constexpr int GraceMilliseconds = 20;
// Of the application's end, in milliseconds: a driver may hold a process that was killed.
constexpr int LongestEnd = 5000;

// Killed processes that have not ended yet. The application's end waits for them.
class EndingProcesses final : public QObject {
 public:
  static EndingProcesses* ofApplication() {
    static const QString Name = QStringLiteral("endingProcesses");
    auto* application = QCoreApplication::instance();
    if (auto* known = application->findChild<QObject*>(Name))
      return static_cast<EndingProcesses*>(known);
    return new EndingProcesses(application, Name);
  }
  ~EndingProcesses() override {
    for (auto* process : findChildren<QProcess*>()) process->waitForFinished(LongestEnd);
  }

 private:
  EndingProcesses(QObject* parent, const QString& name) : QObject(parent) { setObjectName(name); }
};

}  // namespace

void endProcess(QProcess* process) {
  process->disconnect();
  if (process->state() != QProcess::NotRunning) {
    process->kill();
    if (!process->waitForFinished(GraceMilliseconds) && QCoreApplication::instance() != nullptr) {
      process->setParent(EndingProcesses::ofApplication());
      QObject::connect(process, &QProcess::finished, process, &QObject::deleteLater);
      return;
    }
  }
  process->deleteLater();
}

}  // namespace thallo::gui
