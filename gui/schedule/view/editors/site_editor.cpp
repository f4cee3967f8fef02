#include "gui/schedule/view/editors/site_editor.h"

#include "gui/schedule/view/editors/choice_cards.h"
#include "gui/schedule/view/editors/choice_list.h"
#include "gui/schedule/view/editors/numbers_form.h"
#include "gui/schedule/view/editors/order_list.h"
#include "gui/schedule/view/editors/partition_board.h"
#include "gui/schedule/view/editors/switch_row.h"

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
