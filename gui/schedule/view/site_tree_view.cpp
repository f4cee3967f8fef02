#include "gui/schedule/view/site_tree_view.h"

#include <QContextMenuEvent>
#include <QHeaderView>
#include <QKeyEvent>
#include <QMenu>
#include <QMouseEvent>
#include <QPainter>
#include <QStyledItemDelegate>

#include "gui/widgets/layouts.h"
#include "gui/widgets/theme.h"

namespace thallo::gui {
namespace {

// Constructs with more sites are collapsed at first.
constexpr int MostSitesOpen = 4;
constexpr int PinWidth = 30;

bool isOpenByDefault(const QModelIndex& row) {
  return !row.parent().isValid() || row.model()->rowCount(row) <= MostSitesOpen;
}

// Draws a pin: filled if the site is pinned, else an outline.
void paintPin(QPainter& painter, const QRect& cell, const QColor& color, bool isFilled) {
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  painter.translate(QRectF(cell).center());
  painter.rotate(30);
  setInks(painter, QPen(color, 1.3), isFilled ? QBrush(color) : QBrush(Qt::NoBrush));
  painter.drawPolygon(QPolygonF({{-2, -6}, {2, -6}, {2, -2}, {4.5, 1}, {-4.5, 1}, {-2, -2}}));
  painter.drawLine(QPointF(0, 1), QPointF(0, 7));
  painter.restore();
}

// Draws rows with padding, stages as headings, gains as improvements, and pins.
class TreeRow final : public QStyledItemDelegate {
 public:
  explicit TreeRow(SiteTreeView* view) : QStyledItemDelegate(view), m_view(*view) {}

  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    return QStyledItemDelegate::sizeHint(option, index) + QSize(0, 6);
  }
  void paint(QPainter* painter, const QStyleOptionViewItem& option,
             const QModelIndex& index) const override {
    QStyledItemDelegate::paint(painter, option, index);
    if (index.column() != SiteTree::Pin || index.data(SiteTree::SiteIdRole).toString().isEmpty())
      return;
    const auto mark = static_cast<SiteTree::PinMark>(index.data(SiteTree::PinMarkRole).toInt());
    const bool isSelected = option.state.testFlag(QStyle::State_Selected);
    const bool isPinned = mark != SiteTree::PinMark::Open;
    // Where nothing is pinned, a pin is offered in the row that one is at.
    if (!isPinned && !isSelected && !m_view.isHovered(index)) return;
    const Ink color = mark == SiteTree::PinMark::Held     ? Ink::Accent
                      : mark == SiteTree::PinMark::Broken ? Ink::Bad
                                                          : Ink::Muted;
    paintPin(*painter, option.rect,
             isSelected ? option.palette.color(QPalette::HighlightedText) : ink(color), isPinned);
  }

 protected:
  void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override {
    QStyledItemDelegate::initStyleOption(option, index);
    if (!index.parent().isValid())
      option->palette.setColor(QPalette::Text, ink(Ink::Muted));
    else if (index.column() == SiteTree::Gain)
      option->palette.setColor(QPalette::Text, ink(Ink::Good));
  }

 private:
  const SiteTreeView& m_view;
};

}  // namespace

SiteTreeView::SiteTreeView(SiteTree& tree) : m_tree(tree) {
  named(this, "siteTree", tr("Decisions"));
  setModel(&tree);
  setItemDelegate(new TreeRow(this));
  setUniformRowHeights(true);
  setTextElideMode(Qt::ElideMiddle);
  setIndentation(16);
  header()->setStretchLastSection(false);
  header()->setSectionResizeMode(SiteTree::Where, QHeaderView::Stretch);
  header()->setSectionResizeMode(SiteTree::Chosen, QHeaderView::Interactive);
  header()->setSectionResizeMode(SiteTree::Gain, QHeaderView::ResizeToContents);
  header()->setSectionResizeMode(SiteTree::Pin, QHeaderView::Fixed);
  header()->resizeSection(SiteTree::Chosen, 136);
  header()->setMinimumSectionSize(PinWidth);
  header()->resizeSection(SiteTree::Pin, PinWidth);
  setMouseTracking(true);
  connect(this, &QTreeView::clicked, this, [this](const QModelIndex& index) {
    if (index.column() == SiteTree::Pin) askForPin(index);
  });
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

bool SiteTreeView::isHovered(const QModelIndex& row) const {
  return m_hovered.isValid() && row.siblingAtColumn(0) == m_hovered;
}

void SiteTreeView::setHovered(const QModelIndex& index) {
  const QModelIndex row = index.siblingAtColumn(0);
  if (row == m_hovered) return;
  m_hovered = row;
  viewport()->update();
}

void SiteTreeView::askForPin(const QModelIndex& row) {
  const QString site = row.data(SiteTree::SiteIdRole).toString();
  if (!site.isEmpty()) Q_EMIT pinAsked(site);
}

void SiteTreeView::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_P && event->modifiers() == Qt::NoModifier)
    return askForPin(currentIndex());
  QTreeView::keyPressEvent(event);
}

void SiteTreeView::mouseMoveEvent(QMouseEvent* event) {
  QTreeView::mouseMoveEvent(event);
  setHovered(indexAt(event->position().toPoint()));
}

void SiteTreeView::leaveEvent(QEvent* event) {
  QTreeView::leaveEvent(event);
  setHovered({});
}

void SiteTreeView::contextMenuEvent(QContextMenuEvent* event) {
  const bool isByKey = event->reason() == QContextMenuEvent::Keyboard;
  const QModelIndex row = isByKey ? currentIndex() : indexAt(event->pos());
  const QString site = row.data(SiteTree::SiteIdRole).toString();
  if (site.isEmpty()) return;
  const auto mark = static_cast<SiteTree::PinMark>(row.data(SiteTree::PinMarkRole).toInt());
  const QString chosen = row.siblingAtColumn(SiteTree::Chosen).data().toString();
  auto* menu = named(new QMenu(this), "siteMenu");
  menu->setAttribute(Qt::WA_DeleteOnClose);
  QAction* pin = menu->addAction(
      mark == SiteTree::PinMark::Open ? tr("Pin to %1").arg(chosen) : tr("Leave open"), this,
      [this, site] { Q_EMIT pinAsked(site); });
  pin->setShortcut(Qt::Key_P);
  pin->setShortcutContext(Qt::WidgetShortcut);
  menu->addAction(tr("Leave all sites open"), this, &SiteTreeView::unpinAllAsked);
  menu->popup(isByKey ? viewport()->mapToGlobal(visualRect(row).center()) : event->globalPos());
}

void SiteTreeView::currentChanged(const QModelIndex& current, const QModelIndex& previous) {
  QTreeView::currentChanged(current, previous);
  if (m_isShowing || !current.isValid()) return;
  const QString site = current.data(SiteTree::SiteIdRole).toString();
  if (!site.isEmpty()) Q_EMIT siteAsked(site);
}

}  // namespace thallo::gui
