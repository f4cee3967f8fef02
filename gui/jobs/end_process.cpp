#include "gui/jobs/end_process.h"

#include <QCoreApplication>

namespace thallo::gui {
namespace {

// Long enough for most processes to end, and too short to be noticed.
constexpr int GraceMilliseconds = 20;
// The longest wait at the application's end, in milliseconds: a driver may keep a killed process
// alive.
constexpr int LongestEnd = 5000;

// Holds killed processes that have not ended yet. The application waits for them when it ends.
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
