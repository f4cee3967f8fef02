// What is selected, on every page: its kind and name, what is known of it, its expression or text,
// and what can be decided about it, each choice with its cost. Below it the legend of colors.
#pragma once

#include <QWidget>

#include "gui/models/workspace.h"

class QVBoxLayout;

namespace thallo::gui {

class Inspector final : public QWidget {
  Q_OBJECT

 public:
  explicit Inspector(Workspace& workspace, QWidget* parent = nullptr);

 private:
  void refresh();
  void addRows(const Inspection& inspection);
  void addSite(const SiteRow& site);

  Workspace& m_workspace;
  QWidget* m_body = nullptr;
  QVBoxLayout* m_layout;
};

}  // namespace thallo::gui
