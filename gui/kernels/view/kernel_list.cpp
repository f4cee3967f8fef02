#include "gui/kernels/view/kernel_list.h"

#include <algorithm>
#include <array>

#include <QHeaderView>
#include <QPainter>
#include <QScopedValueRollback>
#include <QStyledItemDelegate>

#include "gui/widgets/layouts.h"
#include "gui/widgets/step_looks.h"
#include "gui/workspace/view/cause_looks.h"

namespace thallo::gui {
namespace {

constexpr int SwatchWidth = 4;
constexpr int Padding = 8;
constexpr int WaitsWidth = 72;

// Colors the kind of step, draws shares as bars (hatched if they are estimated), and shows faults
// in their ink.
class KernelDelegate final : public QStyledItemDelegate {
 public:
  using QStyledItemDelegate::QStyledItemDelegate;

  void paint(QPainter* painter, const QStyleOptionViewItem& option,
             const QModelIndex& index) const override {
    const QColor color = ink(inkOfStep(index.data(KernelTable::LabelRole).toString()));
    const bool isSelected = option.state.testFlag(QStyle::State_Selected);
    if (isSelected) painter->fillRect(option.rect, ink(Ink::Accent, 40));
    QRect text = option.rect.adjusted(Padding, 0, -Padding, 0);
    if (index.column() == KernelTable::Kernel) {
      painter->fillRect(
          QRect(option.rect.left(), option.rect.top() + 3, SwatchWidth, option.rect.height() - 6),
          color);
      text.adjust(SwatchWidth, 0, 0, 0);
    }
    if (index.column() == KernelTable::Waits) text = paintWaits(*painter, text, index);
    if (index.column() == KernelTable::Share) text = paintShare(*painter, text, index, color);
    const bool isFault = index.data(KernelTable::FaultRole).toBool();
    const bool isSecondary = index.column() == KernelTable::Part;
    painter->setFont(option.font);
    painter->setPen(ink(isFault ? Ink::Bad : isSecondary ? Ink::Muted : Ink::Text));
    const auto elide = isSecondary ? Qt::ElideMiddle : Qt::ElideRight;
    painter->drawText(text, index.data(Qt::TextAlignmentRole).toInt(),
                      option.fontMetrics.elidedText(index.data().toString(), elide, text.width()));
  }

  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    const int width = option.fontMetrics.horizontalAdvance(index.data().toString());
    const int more = index.column() == KernelTable::Kernel  ? SwatchWidth
                     : index.column() == KernelTable::Waits ? WaitsWidth + Padding
                                                            : 0;
    return {width + 2 * Padding + more, option.fontMetrics.height() + Padding};
  }

 private:
  // Draws what the step waits for as a bar of stacked shares. Returns the area for the words.
  static QRect paintWaits(QPainter& painter, QRect area, const QModelIndex& index) {
    const QRectF bar(area.left(), area.top() + 5, WaitsWidth, area.height() - 10);
    double x = bar.left();
    for (const QVariant& its : index.data(KernelTable::WaitsRole).toList()) {
      const QVariantList wait = its.toList();
      const double width = wait[1].toDouble() * bar.width();
      painter.fillRect(QRectF(x, bar.top(), std::max(0.0, width - 0.5), bar.height()),
                       ink(inkOf(static_cast<Wait>(wait[0].toInt()))));
      x += width;
    }
    return area.adjusted(WaitsWidth + Padding, 0, 0, 0);
  }

  // Returns the area for the number.
  static QRect paintShare(QPainter& painter, QRect area, const QModelIndex& index, QColor color) {
    const int number = painter.fontMetrics().horizontalAdvance("100.0 %") + Padding;
    QRectF bar = area.adjusted(0, 5, -number, -5);
    bar.setWidth(bar.width() * index.data(KernelTable::ShareRole).toDouble());
    if (bar.width() > 0.5) {
      const bool isMeasured = index.data(KernelTable::MeasuredRole).toBool();
      fillTime(painter, bar, color, isMeasured);
      if (!isMeasured) {
        painter.setPen(color);
        painter.drawRect(bar.adjusted(0, 0, -1, -1));
      }
    }
    return area.adjusted(area.width() - number, 0, 0, 0);
  }
};

}  // namespace

KernelList::KernelList()
    : m_table(new KernelTable(this)), m_sorted(new QSortFilterProxyModel(this)) {
  named(this, "kernelList", tr("Kernels"));
  m_sorted->setSourceModel(m_table);
  m_sorted->setSortRole(KernelTable::SortRole);
  setModel(m_sorted);
  setItemDelegate(new KernelDelegate(this));
  showWholeRows(*this);
  setSelectionMode(QAbstractItemView::SingleSelection);
  setWordWrap(false);
  setTabKeyNavigation(false);
  verticalHeader()->setDefaultSectionSize(fontMetrics().height() + Padding);
  horizontalHeader()->setHighlightSections(false);
  horizontalHeader()->setMinimumSectionSize(40);
  // The selected row is tinted, so that the inks of its words remain legible.
  setStyleSheet("QTableView { selection-background-color: transparent; }");
  setSortingEnabled(true);
  horizontalHeader()->setSortIndicatorShown(false);  // it would cover the words
  sortByColumn(KernelTable::Share, Qt::DescendingOrder);
}

void KernelList::setSnapshot(const std::shared_ptr<const KernelSnapshot>& snapshot) {
  // A reset clears the current row, which is not a choice of the user.
  const QScopedValueRollback marking(m_isMarking, true);
  m_table->setSnapshot(snapshot);
  // Only the compiler for CUDA reports registers.
  const bool saysRegisters = snapshot && snapshot->backend == "cuda";
  setColumnHidden(KernelTable::Registers, !saysRegisters);
  setColumnHidden(KernelTable::Stack, !saysRegisters);
  fitColumns();
}

// Considers all rows, including those that are not visible.
int KernelList::widthOf(int column) const {
  int width = horizontalHeader()->sectionSizeHint(column);
  QStyleOptionViewItem option;
  initViewItemOption(&option);
  for (int row = 0; row < m_sorted->rowCount(); ++row)
    width = std::max(width, itemDelegate()->sizeHint(option, m_sorted->index(row, column)).width());
  return width + 2;
}

// Numbers get the width that they need; names and shares get the rest.
void KernelList::fitColumns() {
  int rest = viewport()->width();
  for (int column = KernelTable::Time; column < KernelTable::NumColumns; ++column) {
    if (isColumnHidden(column)) continue;
    const int width = widthOf(column);
    setColumnWidth(column, width);
    rest -= width;
  }
  constexpr std::array<std::pair<KernelTable::Column, double>, 3> Flexible = {
      {{KernelTable::Kernel, 0.3}, {KernelTable::Part, 0.35}, {KernelTable::Share, 0.35}}};
  for (const auto& [column, part] : Flexible)
    setColumnWidth(column, std::max(90, static_cast<int>(rest * part)));
}

void KernelList::resizeEvent(QResizeEvent* event) {
  QTableView::resizeEvent(event);
  fitColumns();
}

void KernelList::mark(const QString& label) {
  const QScopedValueRollback marking(m_isMarking, true);
  const int row = m_table->rowOf(label);
  if (row < 0) {
    clearSelection();
    setCurrentIndex({});
    return;
  }
  const QModelIndex index = m_sorted->mapFromSource(m_table->index(row, KernelTable::Kernel));
  setCurrentIndex(index);
  scrollTo(index);
}

QString KernelList::labelAt(int row) const {
  return m_sorted->index(row, KernelTable::Kernel).data(KernelTable::LabelRole).toString();
}

void KernelList::currentChanged(const QModelIndex& current, const QModelIndex& previous) {
  QTableView::currentChanged(current, previous);
  if (!m_isMarking && current.isValid())
    Q_EMIT chosen(current.data(KernelTable::LabelRole).toString());
}

}  // namespace thallo::gui
