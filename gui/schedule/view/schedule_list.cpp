#include "gui/schedule/view/schedule_list.h"

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include <QAction>
#include <QFileDialog>
#include <QInputDialog>
#include <QListWidget>
#include <QMenu>
#include <QMessageBox>
#include <QPainter>
#include <QPushButton>
#include <QShortcut>
#include <QStyledItemDelegate>
#include <QToolButton>

#include "gui/base/text.h"
#include "gui/base/write_file.h"
#include "gui/widgets/labels.h"
#include "gui/widgets/layouts.h"
#include "gui/widgets/theme.h"
#include "gui/workspace/workspace.h"

namespace thallo::gui {
namespace {

// A schedule of the list, whose name and text may have changed since.
struct ListedSchedule {
  QString name, text;
  Kept kept = {};  // null if it is not on the shelf
};

QFileDialog* openFileDialog(QWidget* parent, const QString& name, const QString& title) {
  auto* dialog = named(new QFileDialog(parent, title), name);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setNameFilter(QObject::tr("Schedules (*.sched)"));
  return dialog;
}

// The actions on a schedule of the list, other than taking it: rename, copy, delete, and export to
// or import from a .sched file, as `thallo solve --schedule FILE` takes it.
class ScheduleActions final : public QObject {
 public:
  // `parent` is the parent of dialogs, and gets the actions on the current schedule.
  ScheduleActions(Workspace& workspace, QWidget* parent)
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
    connect(&workspace.schedule(), &ScheduleModel::scheduleChanged, this,
            &ScheduleActions::refresh);
    connect(&workspace.schedule(), &ScheduleModel::notLoaded, this,
            [this](const QString& why) { tell(tr("The schedule was not loaded"), why); });
    refresh();
  }

  // The actions on the current schedule, with their shortcuts.
  QMenu* menu() const { return m_menu; }

  // Opens a menu for that schedule; the menu deletes itself.
  void popUp(const ListedSchedule& schedule, const QPoint& at) {
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

  // Asks before removing.
  void remove(const Kept& kept) {
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

 private:
  ListedSchedule current() const {
    const ScheduleModel& schedule = m_workspace.schedule();
    return {schedule.name(), schedule.text(), schedule.kept()};
  }

  void add(const QString& text, const QKeySequence& key, std::function<void()> run) {
    QAction* action = m_menu->addAction(text, this, std::move(run));
    action->setShortcut(key);
    m_parent->addAction(action);
  }

  void refresh() {
    const bool isThere = m_workspace.schedule().schedule().value != nullptr;
    const bool isKept = m_workspace.schedule().kept() != nullptr;
    const QList<QAction*> all = m_menu->actions();  // in the order above, including the separator
    for (QAction* action : all) action->setEnabled(isThere);
    for (QAction* action : {all[3], all[5]}) action->setEnabled(isThere && isKept);
  }

  void rename(const Kept& kept) {
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

  void duplicate(const ListedSchedule& schedule) {
    const QString draft = schedule.kept ? schedule.kept->draft : QString();
    m_workspace.schedule().take(
        m_workspace.shelf().add(tr("%1 copy").arg(schedule.name), schedule.text, draft));
  }

  // Returns the schedule at the time when the file was chosen, because typed text arrives a moment
  // later.
  using Which = std::function<ListedSchedule()>;

  void askToSave(Which which) {
    m_workspace.handOver();
    auto* dialog = openFileDialog(m_parent, "saveSchedule", tr("Save the schedule"));
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix("sched");
    dialog->selectFile(which().name.replace('/', '_') + ".sched");
    connect(dialog, &QFileDialog::fileSelected, this,
            [this, which = std::move(which)](const QString& file) { save(which(), file); });
    dialog->open();
  }

  void save(const ListedSchedule& schedule, const QString& file) {
    if (const auto written = writeFile(file, schedule.text.toUtf8()); !written) {
      tell(tr("The schedule was not saved"), toQt(written.error()));
    } else if (schedule.kept && m_workspace.schedule().hasFaults(schedule.kept)) {
      tell(
          tr("The schedule was saved"),
          tr("%1 has the schedule as it was before the text that has faults was typed.").arg(file));
    }
  }

  void askToLoad() {
    auto* dialog = openFileDialog(m_parent, "loadSchedule", tr("Load a schedule"));
    dialog->setFileMode(QFileDialog::ExistingFile);
    connect(dialog, &QFileDialog::fileSelected, &m_workspace.schedule(), &ScheduleModel::load);
    dialog->open();
  }

  void tell(const QString& title, const QString& why) {
    auto* box = named(new QMessageBox(QMessageBox::Warning, title, why, QMessageBox::Ok, m_parent),
                      "scheduleFault");
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->open();
  }

  Workspace& m_workspace;
  QWidget* m_parent;
  QMenu* m_menu;
};

// A row of the list.
struct ScheduleRow {
  NamedSchedule schedule;
  Kept kept = {};
  bool isCurrent = false;
  QString note = {};  // in place of a time
  QString why = {};   // explains the note
  QString time = {};
  bool isMeasured = false;

  ListedSchedule listed() const { return {schedule.name, schedule.text, kept}; }
};

// Paints the name, with a dot that is filled for the current schedule, and the time on the right:
// strongly if measured, and with ≈ if estimated.
class RowPainter final : public QStyledItemDelegate {
 public:
  RowPainter(const std::vector<ScheduleRow>& rows, QObject* parent)
      : QStyledItemDelegate(parent), m_rows(rows) {}

  // A row is as wide as the list, and shortens its name.
  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& /*index*/) const override {
    return {1, option.fontMetrics.height() + 12};
  }
  void paint(QPainter* painter, const QStyleOptionViewItem& option,
             const QModelIndex& index) const override {
    constexpr int Gap = 6;  // between a name and its time
    const ScheduleRow& row = m_rows[static_cast<std::size_t>(index.row())];
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    if (row.isCurrent || option.state.testFlag(QStyle::State_MouseOver))
      painter->fillRect(option.rect, ink(Ink::Raised));
    setInks(*painter, QPen(ink(Ink::Accent), 1.5),
            row.isCurrent ? QBrush(ink(Ink::Accent)) : QBrush(Qt::NoBrush));
    painter->drawEllipse(QPointF(option.rect.left() + 14, option.rect.center().y() + 0.5), 4, 4);
    const QRect text = option.rect.adjusted(28, 0, -12, 0);
    const int room = text.width() - option.fontMetrics.horizontalAdvance(row.time) - Gap;
    painter->setPen(ink(Ink::Text));
    painter->drawText(text, Qt::AlignLeft | Qt::AlignVCenter,
                      option.fontMetrics.elidedText(row.schedule.name, Qt::ElideRight, room));
    painter->setPen(ink(!row.note.isEmpty() ? Ink::Bad : row.isMeasured ? Ink::Text : Ink::Muted));
    painter->drawText(text, Qt::AlignRight | Qt::AlignVCenter, row.time);
    painter->restore();
  }

 private:
  const std::vector<ScheduleRow>& m_rows;
};

class ScheduleList final : public QWidget {
 public:
  explicit ScheduleList(Workspace& workspace)
      : m_workspace(workspace),
        m_actions(workspace, this),
        m_list(named(new QListWidget, "scheduleList", tr("Schedules"))) {
    m_list->setItemDelegate(new RowPainter(m_rows, m_list));
    m_list->setMouseTracking(true);
    m_list->viewport()->setAutoFillBackground(false);
    m_list->setContextMenuPolicy(Qt::CustomContextMenu);
    setLayout(makeColumn({makeHeader(), {m_list, 1}}, {0, 0, 0, 0}, 0));
    connect(m_list, &QListWidget::itemActivated, this,
            [this](QListWidgetItem* item) { take(rowOf(*item).listed()); });
    connect(m_list, &QListWidget::itemClicked, m_list, &QListWidget::itemActivated);
    connect(m_list, &QWidget::customContextMenuRequested, this, [this](const QPoint& at) {
      if (const QListWidgetItem* item = m_list->itemAt(at))
        m_actions.popUp(rowOf(*item).listed(), m_list->viewport()->mapToGlobal(at));
    });
    // Under X11, the standard key for deleting includes Ctrl+D, so it is not used.
    auto* remove = new QShortcut(Qt::Key_Delete, m_list);
    remove->setContext(Qt::WidgetShortcut);
    connect(remove, &QShortcut::activated, this, [this] {
      const QListWidgetItem* item = m_list->currentItem();
      if (const Kept kept = item == nullptr ? nullptr : rowOf(*item).kept) m_actions.remove(kept);
    });
    connect(&workspace.problems(), &ProblemModel::problemChanged, this, &ScheduleList::refresh);
    connect(&workspace.schedule(), &ScheduleModel::scheduleChanged, this, &ScheduleList::refresh);
    connect(&workspace.schedule(), &ScheduleModel::draftChanged, this, &ScheduleList::refresh);
    connect(&workspace.schedule(), &ScheduleModel::shelfTimed, this, &ScheduleList::refresh);
    connect(&workspace.shelf(), &ScheduleShelf::changed, this, &ScheduleList::refresh);
    connect(&workspace.space(), &SpaceModel::spaceChanged, this, &ScheduleList::refresh);
    refresh();
  }

 private:
  void refresh() {
    m_rows = rows();
    // Existing items are kept, because an item may have the keyboard focus.
    while (m_list->count() > static_cast<int>(m_rows.size()))
      delete m_list->takeItem(m_list->count() - 1);
    while (m_list->count() < static_cast<int>(m_rows.size())) m_list->addItem(new QListWidgetItem);
    for (int i = 0; i < m_list->count(); ++i)
      show(m_rows[static_cast<std::size_t>(i)], *m_list->item(i));
    m_list->viewport()->update();
  }

  std::vector<ScheduleRow> rows() const {
    std::vector<ScheduleRow> all;
    const auto& problem = m_workspace.problems().problem().value;
    if (!problem) return all;
    const ScheduleModel& model = m_workspace.schedule();
    const auto isNow = [&](const NamedSchedule& named) {
      return !model.kept() && named.name == model.name();
    };
    for (const NamedSchedule& named : problem->schedules) all.push_back({named, {}, isNow(named)});
    for (const Kept& kept : model.shelf().all()) all.push_back(keptRow(kept));
    // The current schedule, for example one that was just measured.
    const auto& schedule = model.schedule().value;
    const bool isElsewhere = std::ranges::none_of(all, &ScheduleRow::isCurrent);
    if (schedule && isElsewhere)
      all.push_back(
          {{model.name(), schedule->text, schedule->hash, schedule->time.nonlinear}, {}, true});
    return all;
  }

  ScheduleRow keptRow(const Kept& kept) const {
    const ScheduleModel& model = m_workspace.schedule();
    ScheduleRow row{.schedule = {kept->name, kept->text, {}, {}},
                    .kept = kept,
                    .isCurrent = kept == model.kept()};
    if (const ShelfTime* time = model.shelfTimes().of(kept)) {
      row.schedule.hash = time->hash;
      row.schedule.seconds = time->seconds;
      row.why = time->illegal;
      if (!time->illegal.isEmpty()) row.note = tr("not legal");
    }
    if (model.hasFaults(kept)) {
      row.note = tr("has a fault");
      row.why = tr("What was typed last has a fault. It is there when the schedule is taken.");
    }
    return row;
  }

  void show(ScheduleRow& row, QListWidgetItem& item) const {
    const NamedSchedule& schedule = row.schedule;
    const auto measured = m_workspace.space().measured(schedule.hash);
    QStringList known;
    if (measured) known << tr("measured %1").arg(row.time = secondsText(measured->nonlinear));
    if (schedule.seconds) {
      const double scale = m_workspace.schedule().times().scale();
      known << tr("predicted %1").arg(secondsText(*schedule.seconds));
      if (!measured) row.time = timeText(*schedule.seconds * scale, false);
      if (!measured && scale != 1)
        known << tr("scaled by a measured time %1").arg(secondsText(*schedule.seconds * scale));
    }
    if (!row.note.isEmpty()) known << (row.time = row.note);
    item.setText(schedule.name);
    row.isMeasured = measured.has_value();
    item.setData(Qt::AccessibleTextRole, schedule.name + ' ' + known.join(", "));
    const QString text = schedule.text.isEmpty()
                             ? tr("no directive: parts as the groups are written, "
                                  "everything recomputed")
                             : schedule.text.trimmed();
    QStringList lines = {known.join(", "), row.why, text};
    lines.removeAll(QString());
    item.setToolTip(lines.join('\n'));
  }

  const ScheduleRow& rowOf(const QListWidgetItem& item) const {
    return m_rows[static_cast<std::size_t>(m_list->row(&item))];
  }

  void take(const ListedSchedule& schedule) {
    if (schedule.kept)
      m_workspace.schedule().take(schedule.kept);
    else
      m_workspace.schedule().take(schedule.name, schedule.text);
  }

  QWidget* makeHeader() {
    auto* title = titleLabel(tr("Schedules"));
    auto* more = toolButton("scheduleMenuButton", QStringLiteral("⋯"),
                            tr("Load, save, rename, duplicate or delete a schedule"));
    more->setAutoRaise(true);
    more->setPopupMode(QToolButton::InstantPopup);
    more->setMenu(m_actions.menu());
    return makePane(makeRow({{title, 1}, more}, {12, 8, 8, 4}));
  }

  Workspace& m_workspace;
  ScheduleActions m_actions;
  QListWidget* m_list;
  std::vector<ScheduleRow> m_rows;
};

}  // namespace

QWidget* makeScheduleList(Workspace& workspace) { return new ScheduleList(workspace); }

}  // namespace thallo::gui
