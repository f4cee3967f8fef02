#include "gui/space/view/plot_frame.h"

#include <QHBoxLayout>
#include <QVBoxLayout>

#include "gui/widgets/plot.h"

namespace thallo::gui {

QWidget* makeFrame(QWidget* title, QLabel* note, const QList<QWidget*>& tools, QWidget* body) {
  auto* widget = new QWidget;
  auto* column = new QVBoxLayout(widget);
  column->setContentsMargins(0, 4, 0, 0);
  column->setSpacing(2);
  auto* row = new QHBoxLayout;
  row->setContentsMargins(12, 0, 12, 0);
  row->setSpacing(6);
  row->addWidget(title);
  if (note != nullptr) {
    note->setForegroundRole(QPalette::PlaceholderText);
    note->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    row->addWidget(note, 1);
  } else {
    row->addStretch();
  }
  for (QWidget* tool : tools) row->addWidget(tool);
  column->addLayout(row);
  column->addWidget(body, 1);
  return widget;
}

QLabel* makeFrameTitle(const QString& text) {
  auto* title = new QLabel(text);
  title->setFont(titleFont());
  return title;
}

QToolButton* makeSaveButton(Plot& plot) {
  auto* save = new QToolButton;
  save->setText(Plot::tr("Save …"));
  save->setToolTip(Plot::tr("Saves the diagram as SVG, PNG or PDF"));
  QObject::connect(save, &QToolButton::clicked, &plot, &Plot::exportByDialog);
  return save;
}

}  // namespace thallo::gui
