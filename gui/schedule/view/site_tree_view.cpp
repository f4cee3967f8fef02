#include "gui/schedule/view/site_tree_view.h"

#include <QHeaderView>
#include <QStyledItemDelegate>

#include "gui/widgets/theme.h"

namespace thallo::gui {
namespace {

// Constructs with more sites are collapsed at first.
constexpr int MostSitesOpen = 4;

bool isOpenByDefault(const QModelIndex& row) {
  return !row.parent().isValid() || row.model()->rowCount(row) <= MostSitesOpen;
}

// Draws rows with padding, stages as headings, and gains as improvements.
class TreeRow final : public QStyledItemDelegate {
 public:
  using QStyledItemDelegate::QStyledItemDelegate;

  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    return QStyledItemDelegate::sizeHint(option, index) + QSize(0, 6);
  }

 protected:
  void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override {
    QStyledItemDelegate::initStyleOption(option, index);
    if (!index.parent().isValid())
      option->palette.setColor(QPalette::Text, ink(Ink::Muted));
    else if (index.column() == SiteTree::Gain)
      option->palette.setColor(QPalette::Text, ink(Ink::Good));
  }
};

}  // namespace

SiteTreeView::SiteTreeView(SiteTree& tree, QWidget* parent) : QTreeView(parent), m_tree(tree) {
  setObjectName("siteTree");
  setAccessibleName(tr("Decisions"));
  setModel(&tree);
  setItemDelegate(new TreeRow(this));
  setUniformRowHeights(true);
  setTextElideMode(Qt::ElideMiddle);
  setIndentation(16);
  header()->setStretchLastSection(false);
  header()->setSectionResizeMode(SiteTree::Where, QHeaderView::Stretch);
  header()->setSectionResizeMode(SiteTree::Chosen, QHeaderView::Interactive);
  header()->setSectionResizeMode(SiteTree::Gain, QHeaderView::ResizeToContents);
  header()->resizeSection(SiteTree::Chosen, 136);
  const auto note = [this](const QModelIndex& row, bool isOpen) {
    if (m_isShowing) return;
    const QString id = row.data(SiteTree::RowIdRole).toString();
    if (isOpen == isOpenByDefault(row))
      m_toggled.erase(id);
    else
      m_toggled.insert(id);
  };
  connect(this, &QTreeView::expanded, this, [note](const QModelIndex& row) { note(row, true); });
  connect(this, &QTreeView::collapsed, this, [note](const QModelIndex& row) { note(row, false); });
  connect(&tree, &QAbstractItemModel::modelReset, this, &SiteTreeView::expandKnown);
  expandKnown();
}

void SiteTreeView::expandKnown() {
  m_isShowing = true;
  const auto open = [this](const auto& self, const QModelIndex& parent) -> void {
    for (int i = 0; i < m_tree.rowCount(parent); ++i) {
      const QModelIndex row = m_tree.index(i, 0, parent);
      const bool isToggled = m_toggled.contains(row.data(SiteTree::RowIdRole).toString());
      setExpanded(row, isOpenByDefault(row) != isToggled);
      self(self, row);
    }
  };
  open(open, {});
  m_isShowing = false;
  showSite(m_shown);
}

void SiteTreeView::showSite(const QString& siteId) {
  m_shown = siteId;
  const QModelIndex row = m_tree.indexOf(siteId);
  if (row == currentIndex().siblingAtColumn(0)) return;
  m_isShowing = true;
  setCurrentIndex(row);
  m_isShowing = false;
}

void SiteTreeView::currentChanged(const QModelIndex& current, const QModelIndex& previous) {
  QTreeView::currentChanged(current, previous);
  if (m_isShowing || !current.isValid()) return;
  const QString site = current.data(SiteTree::SiteIdRole).toString();
  if (!site.isEmpty()) Q_EMIT siteAsked(site);
}

}  // namespace thallo::gui
