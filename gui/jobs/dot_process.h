// The `dot` program of Graphviz as a child process that lays graphs out. One layout at a time:
// asking for another ends the one under way. A layout that was made before is not made again.
#pragma once

#include <functional>

#include <QCache>
#include <QObject>
#include <QProcess>
#include <QString>
#include <QTimer>

#include "core/base/diagnostic.h"

namespace thallo::gui {

class DotProcess final : public QObject {
  Q_OBJECT

 public:
  using Done = std::function<void(const Expected<QByteArray>& json)>;

  // `program` is found in PATH unless it has a folder.
  explicit DotProcess(QString program = "dot", QObject* parent = nullptr);
  ~DotProcess() override;

  // How long a layout may take before it is given up.
  void setTimeLimit(std::chrono::milliseconds limit) { m_limit.setInterval(limit); }
  // `done` is called with what `dot -Tjson` makes of the text, or with why it makes nothing; not at
  // all if another layout is asked for, or cancel() is called, before.
  void layOut(const QByteArray& text, Done done);
  void cancel();
  bool isBusy() const { return m_done != nullptr; }

 private:
  void finish(const Expected<QByteArray>& json);
  void onFinished();
  void endCurrent();

  QString m_program;
  QProcess* m_process = nullptr;
  QTimer m_limit;
  QByteArray m_text;
  Done m_done;
  QCache<QByteArray, QByteArray> m_made;  // by text
};

}  // namespace thallo::gui
