// The schedule page. The left side shows all decisions as a tree, with the editor of the selected
// one, or the differences from another schedule. The right side shows the text. Tree and text edit
// the same schedule, and a line and its site highlight each other.
#pragma once

#include <QStackedWidget>
#include <QTabBar>

#include "gui/schedule/site_tree.h"
#include "gui/schedule/view/site_panel.h"
#include "gui/schedule/view/site_tree_view.h"
#include "gui/workspace/view/page.h"

namespace thallo::gui {

class SchedulePage final : public Page {
  Q_OBJECT

 public:
  explicit SchedulePage(Workspace& workspace, QWidget* parent = nullptr);

  bool isSettled() const override;
  // The number of sites.
  int itemCount() const override;

 protected:
  void changeEvent(QEvent* event) override;

 private:
  // Makes the left side: the decisions, and the comparison that can be shown instead.
  QWidget* makeLeft();
  void showComparison();
  void refresh();
  void showTable();
  void onSelected();
  void showSelected();
  // Returns the site to show while nothing is selected: the first one with a real choice.
  QString siteToBeginWith(const SiteTable& table) const;
  void showSite();

  SiteTree m_tree;
  SiteTreeView* m_view;
  SitePanel* m_panel;
  QTabBar* m_ways;  // switches between the decisions and the comparison
  QStackedWidget* m_stack;
  QString m_site;  // SiteRow::id of the edited site
  ShownRefresh m_refresh;
};

}  // namespace thallo::gui
