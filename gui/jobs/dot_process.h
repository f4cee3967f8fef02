// Lays graphs out with the `dot` program of Graphviz as a child process. It makes one layout at a
// time: requesting another one ends the current one. Finished layouts are cached.
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
 public:
  using Done = std::function<void(const Expected<QByteArray>& json)>;

  // `program` is searched in PATH unless it contains a folder.
  explicit DotProcess(QString program = "dot");
  ~DotProcess() override;

  // Limits how long a layout may take.
  void setTimeLimit(std::chrono::milliseconds limit) { m_limit.setInterval(limit); }
  // Calls `done` with the output of `dot -Tjson` for the text, or with the reason for a failure.
  // Does not call it if another layout is requested, or cancel() is called, before.
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
  QCache<QByteArray, QByteArray> m_made;  // keyed by text
};

}  // namespace thallo::gui
