// Takes a picture of the window once its page has settled.
#pragma once

#include <functional>

#include <QTimer>

#include "gui/app/main_window.h"

namespace thallo::gui {

class Screenshot final : public QObject {
 public:
  // `done` is called with an empty text, or with the reason why there is no picture.
  Screenshot(MainWindow& window, QString file, std::function<void(const QString& fault)> done);

 private:
  void look();
  void finish(const QString& fault);

  MainWindow& m_window;
  QString m_file;
  std::function<void(const QString&)> m_done;
  QTimer m_poll, m_limit;
  int m_settledLooks = 0;
};

}  // namespace thallo::gui
