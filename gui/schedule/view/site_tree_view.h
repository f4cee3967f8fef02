// The tree of sites. When the tree changes, expanded rows and the current row are kept if they
// still exist. A site is pinned, or left open, by a click at the mark of its row, by the key P, or
// in the menu of the row.
#pragma once

#include <set>

#include <QTreeView>

#include "gui/schedule/site_tree.h"

namespace thallo::gui {

class SiteTreeView final : public QTreeView {
  Q_OBJECT

 public:
  explicit SiteTreeView(SiteTree& tree);
  // Makes the row of the site current, without emitting siteAsked().
  void showSite(const QString& siteId);
  // True if the mouse is over this row.
  bool isHovered(const QModelIndex& row) const;

 Q_SIGNALS:
  // Emitted when the user wants to see the site.
  void siteAsked(const QString& siteId);
  // Emitted when the user wants the site to be pinned, or open if it is pinned.
  void pinAsked(const QString& siteId);
  // Emitted when the user wants all sites to be open.
  void unpinAllAsked();

 protected:
  void currentChanged(const QModelIndex& current, const QModelIndex& previous) override;
  void keyPressEvent(QKeyEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void contextMenuEvent(QContextMenuEvent* event) override;

 private:
  void expandKnown();
  void askForPin(const QModelIndex& row);
  void setHovered(const QModelIndex& index);

  SiteTree& m_tree;
  std::set<QString> m_toggled;  // rows whose expansion differs from the default
  QString m_shown;
  QPersistentModelIndex m_hovered;  // in the first column
  bool m_isShowing = false;
};

}  // namespace thallo::gui
