#include "gui/widgets/layouts.h"

#include <QHeaderView>
#include <QTableView>
#include <QToolButton>
#include <QWidget>
#include <algorithm>

namespace thallo::gui {
namespace {

template <class Layout>
Layout* filled(std::initializer_list<Cell> cells, const QMargins& margins, int spacing) {
  auto* layout = new Layout;
  layout->setContentsMargins(margins);
  layout->setSpacing(spacing);
  for (const Cell& cell : cells) cell.addTo(*layout);
  return layout;
}

}  // namespace

void Cell::addTo(QBoxLayout& layout) const {
  if (m_widget != nullptr)
    layout.addWidget(m_widget, m_stretch);
  else if (m_layout != nullptr)
    layout.addLayout(m_layout, m_stretch);
  else
    layout.addStretch();
}

QVBoxLayout* makeColumn(std::initializer_list<Cell> cells, const QMargins& margins, int spacing) {
  return filled<QVBoxLayout>(cells, margins, spacing);
}

QWidget* makePane(QLayout* layout) {
  auto* pane = new QWidget;
  pane->setLayout(layout);
  return pane;
}

QSplitter* makeSplitter(Qt::Orientation orientation, std::initializer_list<QWidget*> widgets,
                        const QList<int>& sizes) {
  auto* splitter = new QSplitter(orientation);
  splitter->setHandleWidth(1);
  splitter->setChildrenCollapsible(false);
  for (QWidget* widget : widgets) splitter->addWidget(widget);
  if (!sizes.isEmpty()) splitter->setSizes(sizes);
  return splitter;
}

QToolButton* toolButton(const QString& name, const QString& text, const QString& toolTip) {
  auto* button = named(new QToolButton, name);
  button->setText(text);
  button->setToolTip(toolTip);
  const auto isLetter = [](QChar sign) { return sign.isLetter(); };
  const bool isSign = !text.isEmpty() && std::ranges::none_of(text, isLetter);
  if (isSign) button->setAccessibleName(toolTip);
  return button;
}

void showWholeRows(QTableView& table) {
  table.setSelectionBehavior(QAbstractItemView::SelectRows);
  table.setShowGrid(false);
  table.verticalHeader()->hide();
}

QHBoxLayout* makeRow(std::initializer_list<Cell> cells, const QMargins& margins, int spacing) {
  return filled<QHBoxLayout>(cells, margins, spacing);
}

}  // namespace thallo::gui
