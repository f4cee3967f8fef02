// Runs a program to its end in the background and collects its output.
#pragma once

#include <chrono>
#include <functional>

#include <QObject>
#include <QProcess>
#include <QStringList>
#include <QTimer>

#include "core/base/diagnostic.h"

namespace thallo::gui {

class Command final : public QObject {
  Q_OBJECT

 public:
  // Receives the output of the program. If the program cannot be started, exits with a code other
  // than 0, or takes longer than `limit`, receives a fault with its error output.
  using Done = std::function<void(const Expected<QString>& printed)>;

  // Calls `done` once, and never from within the constructor. If the Command is destroyed earlier,
  // the program is killed and `done` is not called.
  Command(const QStringList& program, Done done, QObject* parent,
          std::chrono::milliseconds limit = std::chrono::seconds(60));
  ~Command() override;

 private:
  void finish(const QString& fault);

  Done m_done;
  QProcess* m_process;
  QTimer m_limit;
};

}  // namespace thallo::gui
