#include "gui/schedule/view/schedule_list.h"

#include <algorithm>

#include <QLabel>
#include <QPainter>
#include <QShortcut>
#include <QStyledItemDelegate>
#include <QToolButton>

#include "gui/base/text.h"
#include "gui/widgets/labels.h"
#include "gui/widgets/layouts.h"
#include "gui/widgets/theme.h"

namespace thallo::gui {
namespace {

enum Role {
  NameRole = Qt::UserRole,
  TextRole,
  KeptRole,
  TimeRole,
  IsMeasuredRole,
  IsFaultRole,  // true if a fault is noted in place of the time
  IsCurrentRole
};

ListedSchedule listed(const QListWidgetItem& item) {
  return {item.data(NameRole).toString(), item.data(TextRole).toString(),
          item.data(KeptRole).value<Kept>()};
}

// Paints the name, with a dot that is filled for the current schedule, and the time on the right:
// strongly if measured, and with ≈ if estimated.
class RowPainter final : public QStyledItemDelegate {
 public:
  using QStyledItemDelegate::QStyledItemDelegate;

  static constexpr int Gap = 6;  // between a name and its time

  // A row is as wide as the list, and shortens its name.
  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& /*index*/) const override {
    return {1, option.fontMetrics.height() + 12};
  }
  void paint(QPainter* painter, const QStyleOptionViewItem& option,
             const QModelIndex& index) const override {
    const bool isCurrent = index.data(IsCurrentRole).toBool();
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    if (isCurrent || option.state.testFlag(QStyle::State_MouseOver))
      painter->fillRect(option.rect, ink(Ink::Raised));
    painter->setPen(QPen(ink(Ink::Accent), 1.5));
    painter->setBrush(isCurrent ? QBrush(ink(Ink::Accent)) : QBrush(Qt::NoBrush));
    painter->drawEllipse(QPointF(option.rect.left() + 14, option.rect.center().y() + 0.5), 4, 4);
    const QRect text = option.rect.adjusted(28, 0, -12, 0);
    const QString time = index.data(TimeRole).toString();
    const int room = text.width() - option.fontMetrics.horizontalAdvance(time) - Gap;
    painter->setPen(ink(Ink::Text));
    painter->drawText(
        text, Qt::AlignLeft | Qt::AlignVCenter,
        option.fontMetrics.elidedText(index.data(NameRole).toString(), Qt::ElideRight, room));
    painter->setPen(ink(index.data(IsFaultRole).toBool()      ? Ink::Bad
                        : index.data(IsMeasuredRole).toBool() ? Ink::Text
                                                              : Ink::Muted));
    painter->drawText(text, Qt::AlignRight | Qt::AlignVCenter, time);
    painter->restore();
  }
};

}  // namespace

ScheduleList::ScheduleList(Workspace& workspace, QWidget* parent)
    : QWidget(parent),
      m_workspace(workspace),
      m_actions(workspace, this),
      m_list(named(new QListWidget, "scheduleList", tr("Schedules"))) {
  m_list->setItemDelegate(new RowPainter(m_list));
  m_list->setMouseTracking(true);
  m_list->viewport()->setAutoFillBackground(false);
  m_list->setContextMenuPolicy(Qt::CustomContextMenu);
  setLayout(makeColumn({makeHeader(), {m_list, 1}}, {0, 0, 0, 0}, 0));
  connect(m_list, &QListWidget::itemActivated, this,
          [this](QListWidgetItem* item) { take(*item); });
  connect(m_list, &QListWidget::itemClicked, m_list, &QListWidget::itemActivated);
  connect(m_list, &QWidget::customContextMenuRequested, this, [this](const QPoint& at) {
    if (const QListWidgetItem* item = m_list->itemAt(at))
      m_actions.popUp(listed(*item), m_list->viewport()->mapToGlobal(at));
  });
  // Under X11, the standard key for deleting includes Ctrl+D, so it is not used.
  auto* remove = new QShortcut(Qt::Key_Delete, m_list);
  remove->setContext(Qt::WidgetShortcut);
  connect(remove, &QShortcut::activated, this, [this] {
    const QListWidgetItem* item = m_list->currentItem();
    if (const Kept kept = item == nullptr ? nullptr : listed(*item).kept) m_actions.remove(kept);
  });
  connect(&workspace.problems(), &ProblemModel::problemChanged, this, &ScheduleList::refresh);
  connect(&workspace.schedule(), &ScheduleModel::scheduleChanged, this, &ScheduleList::refresh);
  connect(&workspace.schedule(), &ScheduleModel::draftChanged, this, &ScheduleList::refresh);
  connect(&workspace.schedule(), &ScheduleModel::shelfTimed, this, &ScheduleList::refresh);
  connect(&workspace.shelf(), &ScheduleShelf::changed, this, &ScheduleList::refresh);
  connect(&workspace.space(), &SpaceModel::spaceChanged, this, &ScheduleList::refresh);
  refresh();
}

QWidget* ScheduleList::makeHeader() {
  auto* title = titleLabel(tr("Schedules"));
  auto* more = named(new QToolButton, "scheduleMenuButton");
  more->setText(QStringLiteral("⋯"));
  more->setToolTip(tr("Load, save, rename, duplicate or delete a schedule"));
  more->setAccessibleName(more->toolTip());
  more->setAutoRaise(true);
  more->setPopupMode(QToolButton::InstantPopup);
  more->setMenu(m_actions.menu());
  auto* header = new QWidget;
  header->setLayout(makeRow({{title, 1}, more}, {12, 8, 8, 4}));
  return header;
}

void ScheduleList::take(const QListWidgetItem& item) {
  const ListedSchedule its = listed(item);
  if (its.kept)
    m_workspace.schedule().take(its.kept);
  else
    m_workspace.schedule().take(its.name, its.text);
}

void ScheduleList::refresh() {
  const std::vector<Row> all = rows();
  // Existing rows are kept, because a row may have a pressed button or the keyboard focus.
  while (m_list->count() > static_cast<int>(all.size()))
    delete m_list->takeItem(m_list->count() - 1);
  while (m_list->count() < static_cast<int>(all.size())) m_list->addItem(new QListWidgetItem);
  for (int i = 0; i < m_list->count(); ++i)
    show(all[static_cast<std::size_t>(i)], *m_list->item(i));
}

std::vector<ScheduleList::Row> ScheduleList::rows() const {
  std::vector<Row> all;
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
  const bool isElsewhere = std::ranges::none_of(all, &Row::isCurrent);
  if (schedule && isElsewhere)
    all.push_back(
        {{model.name(), schedule->text, schedule->hash, schedule->time.nonlinear}, {}, true});
  return all;
}

ScheduleList::Row ScheduleList::keptRow(const Kept& kept) const {
  const ScheduleModel& model = m_workspace.schedule();
  Row row{.schedule = {kept->name, kept->text, {}, {}},
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

void ScheduleList::show(const Row& row, QListWidgetItem& item) const {
  const NamedSchedule& schedule = row.schedule;
  const auto measured = m_workspace.space().measured(schedule.hash);
  QString time;
  QStringList known;
  if (measured) known << tr("measured %1").arg(time = secondsText(measured->nonlinear));
  if (schedule.seconds) {
    const double scale = m_workspace.schedule().times().scale();
    known << tr("predicted %1").arg(secondsText(*schedule.seconds));
    if (!measured) time = timeText(*schedule.seconds * scale, false);
    if (!measured && scale != 1)
      known << tr("scaled by a measured time %1").arg(secondsText(*schedule.seconds * scale));
  }
  if (!row.note.isEmpty()) known << (time = row.note);
  item.setText(schedule.name);
  item.setData(NameRole, schedule.name);
  item.setData(TextRole, schedule.text);
  item.setData(KeptRole, QVariant::fromValue(row.kept));
  item.setData(TimeRole, time);
  item.setData(IsMeasuredRole, measured.has_value());
  item.setData(IsFaultRole, !row.note.isEmpty());
  item.setData(IsCurrentRole, row.isCurrent);
  item.setData(Qt::AccessibleTextRole, schedule.name + ' ' + known.join(", "));
  const QString text = schedule.text.isEmpty()
                           ? tr("no directive: parts as the groups are written, "
                                "everything recomputed")
                           : schedule.text.trimmed();
  QStringList lines = {known.join(", "), row.why, text};
  lines.removeAll(QString());
  item.setToolTip(lines.join('\n'));
}

}  // namespace thallo::gui
