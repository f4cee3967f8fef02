// Ctrl+K: type some letters of a name, and go to the node, site, step, problem or schedule.
#pragma once

#include <QFrame>
#include <QLineEdit>
#include <QListWidget>

#include "gui/workspace/search_index.h"

namespace thallo::gui {

class SearchBox final : public QFrame {
  Q_OBJECT

 public:
  // An overlay of `parent`, hidden until open() is called.
  explicit SearchBox(QWidget* parent);

  void open(std::vector<SearchEntry> entries);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void refresh();
  void go(int row);

  QLineEdit* m_line;
  QListWidget* m_list;
  std::vector<SearchEntry> m_entries, m_hits;
};

}  // namespace thallo::gui
