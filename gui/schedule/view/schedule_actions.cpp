#include "gui/schedule/view/schedule_actions.h"

#include <algorithm>
#include <utility>

#include <QFileDialog>
#include <QInputDialog>
#include <QMessageBox>
#include <QPushButton>

#include "gui/base/text.h"
#include "gui/base/write_file.h"
#include "gui/widgets/layouts.h"

namespace thallo::gui {
namespace {

QString scheduleFiles() { return QObject::tr("Schedules (*.sched)"); }

QFileDialog* openFileDialog(QWidget* parent, const QString& name, const QString& title) {
  auto* dialog = named(new QFileDialog(parent, title), name);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setNameFilter(scheduleFiles());
  return dialog;
}

}  // namespace

ScheduleActions::ScheduleActions(Workspace& workspace, QWidget* parent)
    : QObject(parent),
      m_workspace(workspace),
      m_parent(parent),
      m_menu(named(new QMenu(parent), "scheduleMenu")) {
  add(tr("Load a schedule …"), tr("Ctrl+Alt+O"), [this] { askToLoad(); });
  add(tr("Save the schedule …"), tr("Ctrl+Alt+S"),
      [this] { askToSave([this] { return current(); }); });
  m_menu->addSeparator();
  add(tr("Rename …"), tr("F2"), [this] {
    if (const Kept kept = current().kept) rename(kept);
  });
  add(tr("Duplicate"), tr("Ctrl+D"), [this] { duplicate(current()); });
  add(tr("Delete …"), {}, [this] {
    if (const Kept kept = current().kept) remove(kept);
  });
  connect(&workspace.schedule(), &ScheduleModel::scheduleChanged, this, &ScheduleActions::refresh);
  connect(&workspace.schedule(), &ScheduleModel::notLoaded, this,
          [this](const QString& why) { tell(tr("The schedule was not loaded"), why); });
  refresh();
}

void ScheduleActions::add(const QString& text, const QKeySequence& key, std::function<void()> run) {
  QAction* action = m_menu->addAction(text, this, std::move(run));
  action->setShortcut(key);
  m_parent->addAction(action);
}

void ScheduleActions::refresh() {
  const bool isThere = m_workspace.schedule().schedule().value != nullptr;
  const bool isKept = m_workspace.schedule().kept() != nullptr;
  const QList<QAction*> all = m_menu->actions();  // in the order above, including the separator
  for (QAction* action : all) action->setEnabled(isThere);
  for (QAction* action : {all[3], all[5]}) action->setEnabled(isThere && isKept);
}

ListedSchedule ScheduleActions::current() const {
  const ScheduleModel& schedule = m_workspace.schedule();
  return {schedule.name(), schedule.text(), schedule.kept()};
}

void ScheduleActions::popUp(const ListedSchedule& schedule, const QPoint& at) {
  auto* menu = new QMenu(m_parent);
  menu->setAttribute(Qt::WA_DeleteOnClose);
  menu->addAction(tr("Save …"), this, [this, schedule] {
    askToSave([schedule] {
      const Kept& kept = schedule.kept;
      return kept ? ListedSchedule{kept->name, kept->text, kept} : schedule;
    });
  });
  menu->addSeparator();
  QAction* renamed =
      menu->addAction(tr("Rename …"), this, [this, schedule] { rename(schedule.kept); });
  menu->addAction(tr("Duplicate"), this, [this, schedule] { duplicate(schedule); });
  QAction* removed =
      menu->addAction(tr("Delete …"), this, [this, schedule] { remove(schedule.kept); });
  for (QAction* action : {renamed, removed}) action->setEnabled(schedule.kept != nullptr);
  menu->popup(at);
}

void ScheduleActions::tell(const QString& title, const QString& why) {
  auto* box = named(new QMessageBox(QMessageBox::Warning, title, why, QMessageBox::Ok, m_parent),
                    "scheduleFault");
  box->setAttribute(Qt::WA_DeleteOnClose);
  box->open();
}

void ScheduleActions::rename(const Kept& kept) {
  auto* dialog = named(new QInputDialog(m_parent), "renameSchedule");
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setWindowTitle(tr("Rename the schedule"));
  dialog->setLabelText(tr("Name"));
  dialog->setTextValue(kept->name);
  connect(dialog, &QInputDialog::textValueSelected, this, [this, kept](const QString& name) {
    if (const auto renamed = m_workspace.shelf().rename(kept, name); !renamed)
      tell(tr("The schedule was not renamed"), toQt(renamed.error()));
  });
  dialog->open();
}

void ScheduleActions::duplicate(const ListedSchedule& schedule) {
  const QString draft = schedule.kept ? schedule.kept->draft : QString();
  m_workspace.schedule().take(
      m_workspace.shelf().add(tr("%1 copy").arg(schedule.name), schedule.text, draft));
}

void ScheduleActions::remove(const Kept& kept) {
  auto* box = named(new QMessageBox(QMessageBox::Question, tr("Delete a schedule"),
                                    tr("Delete the schedule “%1”?").arg(kept->name),
                                    QMessageBox::Cancel, m_parent),
                    "deleteSchedule");
  box->setAttribute(Qt::WA_DeleteOnClose);
  auto* confirm = box->addButton(tr("Delete"), QMessageBox::DestructiveRole);
  box->setDefaultButton(QMessageBox::Cancel);
  connect(box, &QMessageBox::finished, this, [this, box, confirm, kept] {
    if (box->clickedButton() != confirm) return;
    ScheduleModel& schedule = m_workspace.schedule();
    const auto& problem = m_workspace.problems().problem().value;
    if (kept == schedule.kept() && problem && !problem->schedules.empty()) {
      const auto& all = problem->schedules;
      const auto best = std::ranges::find(all, QStringLiteral("auto"), &NamedSchedule::name);
      const NamedSchedule& instead = best == all.end() ? all.front() : *best;
      schedule.take(instead.name, instead.text);
    }
    m_workspace.shelf().remove(kept);
  });
  box->open();
}

void ScheduleActions::askToSave(Which which) {
  m_workspace.handOver();
  auto* dialog = openFileDialog(m_parent, "saveSchedule", tr("Save the schedule"));
  dialog->setAcceptMode(QFileDialog::AcceptSave);
  dialog->setDefaultSuffix("sched");
  dialog->selectFile(which().name.replace('/', '_') + ".sched");
  connect(dialog, &QFileDialog::fileSelected, this,
          [this, which = std::move(which)](const QString& file) { save(which(), file); });
  dialog->open();
}

void ScheduleActions::save(const ListedSchedule& schedule, const QString& file) {
  if (const auto written = writeFile(file, schedule.text.toUtf8()); !written) {
    tell(tr("The schedule was not saved"), toQt(written.error()));
  } else if (schedule.kept && m_workspace.schedule().hasFaults(schedule.kept)) {
    tell(tr("The schedule was saved"),
         tr("%1 has the schedule as it was before the text that has faults was typed.").arg(file));
  }
}

void ScheduleActions::askToLoad() {
  auto* dialog = openFileDialog(m_parent, "loadSchedule", tr("Load a schedule"));
  dialog->setFileMode(QFileDialog::ExistingFile);
  connect(dialog, &QFileDialog::fileSelected, &m_workspace.schedule(), &ScheduleModel::load);
  dialog->open();
}

}  // namespace thallo::gui
