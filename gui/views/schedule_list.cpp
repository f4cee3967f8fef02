#include "gui/views/schedule_list.h"

#include <algorithm>

#include <QLabel>
#include <QPainter>
#include <QStyledItemDelegate>
#include <QVBoxLayout>

#include "gui/models/text.h"
#include "gui/views/theme.h"

namespace thallo::gui {
namespace {

enum Role { NameRole = Qt::UserRole, TextRole, TimeRole, IsMeasuredRole, IsCurrentRole };

// A name with a dot that is filled for the current one, and its time at the right: written strongly when
// it was measured, and as about so much when it is estimated.
class Row final : public QStyledItemDelegate {
 public:
  using QStyledItemDelegate::QStyledItemDelegate;

  static constexpr int Gap = 6;  // between a name and its time

  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& /*index*/) const override {
    return {160, option.fontMetrics.height() + 12};
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
    painter->setPen(ink(index.data(IsMeasuredRole).toBool() ? Ink::Text : Ink::Muted));
    painter->drawText(text, Qt::AlignRight | Qt::AlignVCenter, time);
    painter->restore();
  }
};

}  // namespace

ScheduleList::ScheduleList(Workspace& workspace, QWidget* parent)
    : QWidget(parent), m_workspace(workspace), m_list(new QListWidget) {
  auto* title = new QLabel(tr("Schedules"));
  title->setFont(titleFont());
  title->setContentsMargins(12, 8, 12, 4);
  m_list->setObjectName("scheduleList");
  m_list->setAccessibleName(tr("Schedules"));
  m_list->setItemDelegate(new Row(m_list));
  m_list->setMouseTracking(true);
  m_list->viewport()->setAutoFillBackground(false);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(title);
  layout->addWidget(m_list, 1);
  connect(m_list, &QListWidget::itemActivated, this, [this](QListWidgetItem* item) {
    m_workspace.schedule().take(item->data(NameRole).toString(), item->data(TextRole).toString());
  });
  connect(m_list, &QListWidget::itemClicked, m_list, &QListWidget::itemActivated);
  connect(&workspace.problems(), &ProblemModel::problemChanged, this, &ScheduleList::refresh);
  connect(&workspace.schedule(), &ScheduleModel::scheduleChanged, this, &ScheduleList::refresh);
  connect(&workspace.space(), &SpaceModel::spaceChanged, this, &ScheduleList::refresh);
  refresh();
}

void ScheduleList::refresh() {
  m_list->clear();
  const auto& problem = m_workspace.problems().problem().value;
  if (!problem) return;
  const QString& current = m_workspace.schedule().name();
  const auto& schedule = m_workspace.schedule().schedule().value;
  const bool hasName = std::ranges::any_of(
      problem->schedules, [&](const NamedSchedule& named) { return named.name == current; });
  if (schedule && !hasName)
    add({current, schedule->text, schedule->hash, schedule->time.nonlinear}, true);
  for (const NamedSchedule& named : problem->schedules) add(named, named.name == current);
}

void ScheduleList::add(const NamedSchedule& schedule, bool isCurrent) {
  const auto measured = m_workspace.space().measured(schedule.hash);
  QString time;
  QStringList known;
  if (measured) known << tr("measured %1").arg(time = secondsText(measured->nonlinear));
  if (schedule.seconds) {
    const double scale = m_workspace.schedule().timeScale();
    known << tr("estimated before lowering %1").arg(secondsText(*schedule.seconds));
    if (!measured) time = timeText(*schedule.seconds * scale, false);
    if (!measured && scale != 1)
      known << tr("scaled by a measured time %1").arg(secondsText(*schedule.seconds * scale));
  }
  auto* item = new QListWidgetItem(m_list);
  item->setData(NameRole, schedule.name);
  item->setData(TextRole, schedule.text);
  item->setData(TimeRole, time);
  item->setData(IsMeasuredRole, measured.has_value());
  item->setData(IsCurrentRole, isCurrent);
  item->setData(Qt::AccessibleTextRole, schedule.name + ' ' + known.join(", "));
  const QString text = schedule.text.isEmpty()
                           ? tr("no directive: parts as the groups are written, "
                                "everything recomputed")
                           : schedule.text.trimmed();
  item->setToolTip(known.join(", ") + (known.isEmpty() ? "" : "\n") + text);
}

}  // namespace thallo::gui
