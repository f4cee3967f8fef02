#include "gui/workspace/inspection.h"

namespace thallo::gui {

InspectorModel::InspectorModel(SelectionModel& selection, QObject* parent)
    : QObject(parent), m_selection(selection) {
  connect(&selection, &SelectionModel::changed, this, &InspectorModel::update);
}

void InspectorModel::describeBy(Selection::Kind kind, Describe describe) {
  m_describe.insert_or_assign(kind, std::move(describe));
}

void InspectorModel::update() {
  const bool isNothing = !m_current && !m_describe.contains(m_selection.current().kind);
  if (!isNothing) refresh();
}

void InspectorModel::refresh() {
  const Selection& selection = m_selection.current();
  const auto describe = m_describe.find(selection.kind);
  m_current =
      describe == m_describe.end() ? std::nullopt : std::optional(describe->second(selection.id));
  Q_EMIT changed();
}

}  // namespace thallo::gui
