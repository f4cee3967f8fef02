#include "gui/schedule/view/editors/site_editor.h"

namespace thallo::gui {

void SiteEditor::choose(std::size_t choice) {
  const ChoiceRow& row = m_site.choices[choice];
  if (!row.illegal.isEmpty()) return Q_EMIT told(tr("%1: %2").arg(row.label, row.illegal));
  Q_EMIT told({});
  if (choice != m_site.chosen) m_schedule.choose(m_site.construct, m_site.name, row.label);
}

SiteEditor* makeSiteEditor(EditorKind kind, ScheduleModel& schedule) {
  switch (kind) {
    case EditorKind::Cards: return makeChoiceCards(schedule);
    case EditorKind::List: return makeChoiceList(schedule);
    case EditorKind::Order: return makeOrderList(schedule);
    case EditorKind::Numbers: return makeNumbersForm(schedule);
    case EditorKind::Board: return makePartitionBoard(schedule);
  }
  return nullptr;
}

}  // namespace thallo::gui
