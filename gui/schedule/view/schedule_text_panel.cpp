#include "gui/schedule/view/schedule_text_panel.h"

#include <QHBoxLayout>
#include <QPushButton>
#include <QToolButton>

#include "gui/schedule/view/schedule_text_edit.h"
#include "gui/widgets/labels.h"
#include "gui/widgets/layouts.h"
#include "gui/widgets/theme.h"

namespace thallo::gui {
namespace {

QString faultText(const TextFault& fault) {
  if (fault.line == 0) return fault.text;
  return fault.column == 0 ? QObject::tr("line %1: %2").arg(fault.line).arg(fault.text)
                           : QObject::tr("line %1, column %2: %3")
                                 .arg(fault.line)
                                 .arg(fault.column)
                                 .arg(fault.text);
}

}  // namespace

ScheduleTextPanel::ScheduleTextPanel(Workspace& workspace, QWidget* parent)
    : QWidget(parent),
      m_workspace(workspace),
      m_name(named(mutedLabel(), "scheduleName")),
      m_faults(named(faultLabel(), "textFaults")),
      m_dropped(named(textLabel(), "droppedDirectives")),
      m_droppedRow(named(new QWidget, "droppedRow")) {
  m_faults->setContentsMargins(12, 8, 12, 8);
  auto* undo = named(new QPushButton(tr("Undo")), "undoDropping");
  undo->setToolTip(tr("Take the change back that dropped this (Ctrl+Z)"));
  connect(undo, &QPushButton::clicked, &workspace.schedule().history(), &QUndoGroup::undo);
  auto* dropped = makeRow({{m_dropped, 1}}, {12, 4, 12, 8});
  m_droppedRow->setLayout(dropped);
  dropped->addWidget(undo, 0, Qt::AlignTop);
  setLayout(makeColumn({makeHeader(), m_droppedRow, {new ScheduleTextEdit(workspace), 1}, m_faults},
                       {0, 0, 0, 0}, 0));
  connect(&workspace.schedule(), &ScheduleModel::scheduleChanged, this,
          &ScheduleTextPanel::refresh);
  connect(&workspace.schedule(), &ScheduleModel::draftChanged, this, &ScheduleTextPanel::refresh);
  refresh();
}

QWidget* ScheduleTextPanel::makeHeader() {
  auto* header = new QWidget;
  auto* layout = new QHBoxLayout(header);
  layout->setContentsMargins(12, 8, 8, 6);
  auto* title = titleLabel(tr("Text"));
  layout->addWidget(title);
  layout->addWidget(m_name, 1);
  QUndoGroup& history = m_workspace.schedule().history();
  const auto add = [&](const QString& name, const QString& sign, const QString& tip, bool canNow) {
    auto* button = named(new QToolButton, name);
    button->setText(sign);
    button->setToolTip(tip);
    button->setAccessibleName(tip);
    button->setAutoRaise(true);
    button->setEnabled(canNow);
    layout->addWidget(button);
    return button;
  };
  auto* undo = add("undoButton", QStringLiteral("↶ undo"), tr("Undo the last change (Ctrl+Z)"),
                   history.canUndo());
  auto* redo =
      add("redoButton", QStringLiteral("↷ redo"), tr("Redo it (Ctrl+Shift+Z)"), history.canRedo());
  connect(undo, &QToolButton::clicked, &history, &QUndoGroup::undo);
  connect(redo, &QToolButton::clicked, &history, &QUndoGroup::redo);
  connect(&history, &QUndoGroup::canUndoChanged, undo, &QWidget::setEnabled);
  connect(&history, &QUndoGroup::canRedoChanged, redo, &QWidget::setEnabled);
  return header;
}

void ScheduleTextPanel::refresh() {
  const ScheduleModel& schedule = m_workspace.schedule();
  m_name->setText(schedule.name());
  QStringList faults;
  for (const TextFault& fault : schedule.faults()) faults.append(faultText(fault));
  if (!faults.isEmpty())
    faults.append(tr("The schedule stays as it was until the text has no fault."));
  m_faults->setText(faults.join('\n'));
  m_faults->setVisible(!faults.isEmpty());
  QStringList dropped;
  if (const auto& snapshot = schedule.schedule().value) {
    for (const DroppedDirective& directive : snapshot->dropped)
      dropped.append(tr("%1: %2").arg(directive.text, directive.why));
  }
  m_dropped->setText(tr("Dropped by the last change:") + '\n' + dropped.join('\n'));
  m_droppedRow->setVisible(!dropped.isEmpty());
}

}  // namespace thallo::gui
