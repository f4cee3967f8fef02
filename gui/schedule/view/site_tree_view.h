// The tree of sites. When the tree changes, expanded rows and the current row are kept if they
// still exist.
#pragma once

#include <set>

#include <QTreeView>

#include "gui/schedule/site_tree.h"

namespace thallo::gui {

class SiteTreeView final : public QTreeView {
  Q_OBJECT

 public:
  explicit SiteTreeView(SiteTree& tree, QWidget* parent = nullptr);
  // Makes the row of the site current, without emitting siteAsked().
  void showSite(const QString& siteId);

 Q_SIGNALS:
  // Emitted when the user wants to see the site.
  void siteAsked(const QString& siteId);

 protected:
  void currentChanged(const QModelIndex& current, const QModelIndex& previous) override;

 private:
  void expandKnown();

  SiteTree& m_tree;
  std::set<QString> m_toggled;  // rows whose expansion differs from the default
  QString m_shown;
  bool m_isShowing = false;
};

}  // namespace thallo::gui
