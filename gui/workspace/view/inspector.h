// Describes the selection, on every page: its kind and name, what is known about it, its expression
// or text, and the decisions about it with the cost of each choice. If nothing is selected, the
// next best moves from the current schedule. The legend of colors is below.
#pragma once

#include <QWidget>

#include "gui/widgets/shown_refresh.h"
#include "gui/workspace/workspace.h"

class QVBoxLayout;

namespace thallo::gui {

class Inspector final : public QWidget {
 public:
  explicit Inspector(Workspace& workspace);

 private:
  void refresh();
  void addRows(const Inspection& inspection);
  void addSite(const SiteRow& site);

  Workspace& m_workspace;
  QWidget* m_body = nullptr;
  QVBoxLayout* m_layout;
  QWidget* m_moves;
  ShownRefresh m_refresh;
};

}  // namespace thallo::gui
