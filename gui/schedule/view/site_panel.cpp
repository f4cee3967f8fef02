#include "gui/schedule/view/site_panel.h"

#include <algorithm>

#include "gui/base/text.h"
#include "gui/schedule/choice_text.h"
#include "gui/widgets/labels.h"
#include "gui/widgets/layouts.h"
#include "gui/widgets/theme.h"

namespace thallo::gui {

SitePanel::SitePanel(Workspace& workspace, QWidget* parent)
    : QWidget(parent),
      m_workspace(workspace),
      m_title(named(textLabel(), "siteTitle")),
      m_doc(mutedNote()),
      m_times(named(mutedNote(), "siteTimes")),
      m_note(named(faultLabel(), "siteNote")),
      m_scroll(new QScrollArea) {
  setObjectName("sitePanel");
  m_scroll->setAccessibleName(tr("Choices of the site"));
  m_title->setFont(titleFont());
  m_times->hide();
  m_note->hide();
  m_scroll->setWidgetResizable(true);
  m_scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setLayout(makeColumn({m_title, m_doc, m_times, {m_scroll, 1}, m_note}, {12, 10, 12, 10}, 6));
  connect(&workspace.schedule(), &ScheduleModel::refused, this, &SitePanel::tell);
}

void SitePanel::tell(const QString& why) {
  m_note->setText(why);
  m_note->setVisible(!why.isEmpty());
}

void SitePanel::setSite(const SiteRow* site, const SiteTable& table) {
  if (site == nullptr) {
    m_title->setText(tr("Nothing to decide"));
    m_doc->clear();
    m_times->hide();
    m_kind.reset();
    m_siteId.clear();
    m_scroll->setWidget(new QWidget);
    m_editor = nullptr;
    return;
  }
  const bool isGrouped = table.groupsOf(site->construct) != nullptr;
  m_title->setText(isGrouped ? site->construct : tr("%1 of %2").arg(site->construct, site->shown));
  if (const auto& problem = m_workspace.problems().problem().value) {
    const auto info = std::ranges::find(problem->constructs, site->construct, &ConstructInfo::name);
    m_doc->setText(info == problem->constructs.end() ? QString() : info->doc);
  }
  if (m_siteId != site->id()) tell({});
  m_siteId = site->id();
  const EditorKind kind = editorKindOf(*site);
  if (m_kind != kind) {
    m_kind = kind;
    m_editor = makeSiteEditor(kind, m_workspace.schedule());
    m_scroll->setWidget(m_editor);
    connect(m_editor, &SiteEditor::told, this, &SitePanel::tell);
    connect(m_editor, &SiteEditor::siteAsked, this, &SitePanel::siteAsked);
  }
  m_editor->setSite(*site, table);
  const QString times = timesText(*site);
  m_times->setText(times);
  m_times->setVisible(!times.isEmpty());
}

}  // namespace thallo::gui
