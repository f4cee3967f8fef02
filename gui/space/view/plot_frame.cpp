#include "gui/space/view/plot_frame.h"

#include "gui/widgets/layouts.h"
#include "gui/widgets/plot.h"

namespace thallo::gui {

QWidget* makeFrame(QWidget* title, QLabel* note, const QList<QWidget*>& tools, QWidget* body) {
  if (note != nullptr) {
    note->setForegroundRole(QPalette::PlaceholderText);
    note->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  }
  auto* row = makeRow({title, note != nullptr ? Cell(note, 1) : Cell::gap()}, {12, 0, 12, 0}, 6);
  for (QWidget* tool : tools) row->addWidget(tool);
  return makePane(makeColumn({row, {body, 1}}, {0, 4, 0, 0}, 2));
}

QToolButton* makeSaveButton(Plot& plot) {
  auto* save = toolButton({}, Plot::tr("Save …"), Plot::tr("Saves the diagram as SVG, PNG or PDF"));
  QObject::connect(save, &QToolButton::clicked, &plot, &Plot::exportByDialog);
  return save;
}

}  // namespace thallo::gui
