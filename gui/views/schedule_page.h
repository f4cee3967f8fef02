// The schedule: left every decision as a tree with the editor of the one that is selected, or where
// it differs from another schedule, right the text. Tree and text change the same schedule, and a
// line and its site mark each other.
#pragma once

#include <QStackedWidget>
#include <QTabBar>

#include "gui/models/site_tree.h"
#include "gui/views/page.h"
#include "gui/views/site_panel.h"
#include "gui/views/site_tree_view.h"

namespace thallo::gui {

class SchedulePage final : public Page {
  Q_OBJECT

 public:
  explicit SchedulePage(Workspace& workspace, QWidget* parent = nullptr);

  bool isSettled() const override;
  // Sites.
  int itemCount() const override;

 protected:
  void changeEvent(QEvent* event) override;

 private:
  // The decisions, and the comparison that can be looked at instead.
  QWidget* makeLeft();
  void showComparison();
  void refresh();
  void onSelected();
  // What is shown while nothing is selected: the first site with a real choice.
  QString siteToBeginWith(const SiteTable& table) const;
  void showSite();

  SiteTree m_tree;
  SiteTreeView* m_view;
  SitePanel* m_panel;
  QTabBar* m_ways;  // of looking at the schedule: by its decisions, beside another one
  QStackedWidget* m_stack;
  QString m_site;  // SiteRow::id of the one that is edited
};

}  // namespace thallo::gui
