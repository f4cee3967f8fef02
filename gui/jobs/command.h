// A program that is run to its end beside the app, for what it prints.
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
  // What it printed; fails with its error output when it cannot be started, ends with another code
  // than 0, or takes longer than `limit`.
  using Done = std::function<void(const Expected<QString>& printed)>;

  // Calls `done` once, never from within the constructor. A command that is destroyed before is
  // killed without a word.
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
