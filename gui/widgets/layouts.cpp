#include "gui/widgets/layouts.h"

#include <QWidget>

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

QSplitter* makeSplitter(Qt::Orientation orientation, std::initializer_list<QWidget*> widgets,
                        const QList<int>& sizes) {
  auto* splitter = new QSplitter(orientation);
  splitter->setHandleWidth(1);
  splitter->setChildrenCollapsible(false);
  for (QWidget* widget : widgets) splitter->addWidget(widget);
  splitter->setSizes(sizes);
  return splitter;
}

QHBoxLayout* makeRow(std::initializer_list<Cell> cells, const QMargins& margins, int spacing) {
  return filled<QHBoxLayout>(cells, margins, spacing);
}

}  // namespace thallo::gui
