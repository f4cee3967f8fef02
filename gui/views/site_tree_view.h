// The tree of sites. What is open and what is current stays when the tree is another, as far
// as it is there.
#pragma once

#include <set>

#include <QTreeView>

#include "gui/models/site_tree.h"

namespace thallo::gui {

class SiteTreeView final : public QTreeView {
  Q_OBJECT

 public:
  explicit SiteTreeView(SiteTree& tree, QWidget* parent = nullptr);
  // Makes the row of the site current, without asking for it.
  void showSite(const QString& siteId);

 Q_SIGNALS:
  // The user wants to see the site.
  void siteAsked(const QString& siteId);

 protected:
  void currentChanged(const QModelIndex& current, const QModelIndex& previous) override;

 private:
  void expandKnown();

  SiteTree& m_tree;
  std::set<QString> m_toggled;  // rows that are not as they are by default
  QString m_shown;
  bool m_isShowing = false;
};

}  // namespace thallo::gui
