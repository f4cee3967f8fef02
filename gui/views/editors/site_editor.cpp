#include "gui/views/editors/site_editor.h"

#include "gui/views/editors/choice_cards.h"
#include "gui/views/editors/choice_list.h"
#include "gui/views/editors/numbers_form.h"
#include "gui/views/editors/order_list.h"
#include "gui/views/editors/partition_board.h"
#include "gui/views/editors/switch_row.h"

namespace thallo::gui {

void SiteEditor::choose(std::size_t choice) {
  const ChoiceRow& row = m_site.choices[choice];
  if (!row.illegal.isEmpty()) return Q_EMIT told(tr("%1: %2").arg(row.label, row.illegal));
  Q_EMIT told({});
  if (choice != m_site.chosen) m_schedule.choose(m_site.construct, m_site.name, row.label);
}

SiteEditor* makeSiteEditor(EditorKind kind, ScheduleModel& schedule) {
  switch (kind) {
    case EditorKind::Cards: return new ChoiceCards(schedule);
    case EditorKind::List: return new ChoiceList(schedule);
    case EditorKind::Switch: return new SwitchRow(schedule);
    case EditorKind::Order: return new OrderList(schedule);
    case EditorKind::Numbers: return new NumbersForm(schedule);
    case EditorKind::Board: return new PartitionBoard(schedule);
  }
  return nullptr;
}

}  // namespace thallo::gui
