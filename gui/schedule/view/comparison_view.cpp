#include "gui/schedule/view/comparison_view.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <QEvent>
#include <QHeaderView>
#include <QHelpEvent>
#include <QLabel>
#include <QPainter>
#include <QStyledItemDelegate>
#include <QToolTip>
#include <QTreeWidget>

#include "gui/base/text.h"
#include "gui/widgets/labels.h"
#include "gui/widgets/layouts.h"
#include "gui/widgets/shown_refresh.h"
#include "gui/widgets/theme.h"
#include "gui/workspace/view/cause_looks.h"
#include "gui/workspace/workspace.h"

namespace thallo::gui {
namespace {

constexpr int WaterfallMargin = 12;
constexpr int WaterfallPadding = 3;
constexpr int CauseWidth = 104;
constexpr int ChangeWidth = 76;
// The bars have this share of the room that names and changes leave.
constexpr double BarsShare = 0.42;
constexpr int LeastBars = 80;

QColor colorOfCause(const ChangeCause* cause) {
  if (cause == nullptr) return ink(Ink::Accent);
  return ink(cause->cause ? inkOf(*cause->cause) : Ink::Muted);
}

}  // namespace

Waterfall::Waterfall() {
  named(this, "waterfall", tr("Why the times differ"));
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

void Waterfall::setComparison(std::shared_ptr<const ScheduleComparison> comparison) {
  m_comparison = std::move(comparison);
  m_lines.clear();
  m_longest = 0;
  const bool hasCauses = m_comparison && !m_comparison->causes.empty();
  setVisible(hasCauses);
  if (!hasCauses) return;
  const auto addTime = [this](const QString& name, double seconds) {
    m_lines.push_back({.name = name,
                       .change = secondsText(seconds),
                       .tip = name + QStringLiteral(": ") + secondsText(seconds),
                       .begin = 0,
                       .end = seconds});
  };
  addTime(m_comparison->other, m_comparison->from);
  double at = m_comparison->from;
  for (const ChangeCause& cause : m_comparison->causes) {
    const QString change = signedText(cause.seconds, secondsText(std::abs(cause.seconds)));
    QStringList tip = {tr("%1: %2").arg(cause.name, change)};
    tip += cause.steps.isEmpty() ? QStringList{cause.sentence} : cause.steps;
    m_lines.push_back({.name = cause.name,
                       .change = change,
                       .sentence = cause.sentence,
                       .tip = tip.join('\n'),
                       .begin = at,
                       .end = at + cause.seconds,
                       .cause = &cause});
    at += cause.seconds;
  }
  addTime(m_comparison->current, m_comparison->to);
  QStringList all;
  for (const Line& line : m_lines) {
    m_longest = std::max({m_longest, line.begin, line.end});
    all << QStringLiteral("%1 %2 %3").arg(line.name, line.change, line.sentence).trimmed();
  }
  setAccessibleDescription(all.join(QStringLiteral("; ")));
  updateGeometry();
  update();
}

int Waterfall::lineHeight() const { return fontMetrics().height() + 2 * WaterfallPadding; }

QSize Waterfall::sizeHint() const {
  return {400, lineCount() * lineHeight() + 2 * WaterfallPadding};
}
QSize Waterfall::minimumSizeHint() const { return {240, sizeHint().height()}; }

QRect Waterfall::areaOf(std::size_t line) const {
  return {WaterfallMargin, WaterfallPadding + static_cast<int>(line) * lineHeight(),
          width() - 2 * WaterfallMargin, lineHeight()};
}

void Waterfall::paintLine(QPainter& painter, std::size_t number) const {
  const Line& line = m_lines[number];
  const QRect area = areaOf(number);
  const bool isTime = line.cause == nullptr;
  const auto words = [&](const QRect& where, const QString& text, int align, Ink color) {
    painter.setPen(ink(color));
    painter.drawText(where, align | Qt::AlignVCenter,
                     fontMetrics().elidedText(text, Qt::ElideRight, where.width()));
  };
  const QRect name(area.left(), area.top(), CauseWidth, area.height());
  const QRect change(name.right() + WaterfallMargin / 2, area.top(), ChangeWidth, area.height());
  const Ink effect = isTime ? Ink::Text : line.end < line.begin ? Ink::Good : Ink::Bad;
  words(name, line.name, Qt::AlignLeft, Ink::Text);
  words(change, line.change, Qt::AlignRight, effect);
  const int left = change.right() + WaterfallMargin;
  const int room = std::max(LeastBars, static_cast<int>((area.right() - left) * BarsShare));
  const double scale = m_longest > 0 ? room / m_longest : 0;
  const double from = left + scale * std::min(line.begin, line.end);
  const double to = left + scale * std::max(line.begin, line.end);
  const QRectF bar(from, area.top() + WaterfallPadding, std::max(1.5, to - from),
                   area.height() - 2 * WaterfallPadding);
  painter.fillRect(bar, colorOfCause(line.cause));
  // A thin line leads to where the next bar begins.
  if (number + 1 < m_lines.size()) {
    const double end = left + scale * line.end;
    painter.setPen(QPen(ink(Ink::Muted), 1, Qt::DotLine));
    painter.drawLine(QPointF(end, bar.bottom()), QPointF(end, bar.bottom() + 2 * WaterfallPadding));
  }
  const QRect sentence(left + room + WaterfallMargin, area.top(),
                       area.right() - left - room - WaterfallMargin, area.height());
  if (sentence.width() > 3 * WaterfallMargin)
    words(sentence, line.sentence, Qt::AlignLeft, Ink::Muted);
}

void Waterfall::paintEvent(QPaintEvent* /*event*/) {
  QPainter painter(this);
  for (std::size_t line = 0; line < m_lines.size(); ++line) paintLine(painter, line);
}

bool Waterfall::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  const auto* help = static_cast<const QHelpEvent*>(event);
  for (std::size_t line = 0; line < m_lines.size(); ++line) {
    if (!areaOf(line).contains(help->pos())) continue;
    QToolTip::showText(help->globalPos(), m_lines[line].tip, this);
    return true;
  }
  QToolTip::hideText();
  return true;
}

namespace {

enum ComparisonColumn {
  WhatColumn,
  OtherColumn,
  CurrentColumn,
  ChangeColumn,
  NumComparisonColumns
};
// Of the first column: the label of a step; of the last one: ComparisonRow::direction.
constexpr int StepRole = Qt::UserRole, DirectionRole = Qt::UserRole + 1;

// A sign shows without color which of the two schedules has a thing.
QString markedText(const ComparisonRow& row) {
  switch (row.in) {
    case ComparisonRow::In::Both: return row.what;
    case ComparisonRow::In::Other: return QStringLiteral("− ") + row.what;
    case ComparisonRow::In::Current: return QStringLiteral("+ ") + row.what;
  }
  return {};
}

// Draws sections as headings. A change has the color of its effect.
class ComparisonLine final : public QStyledItemDelegate {
 public:
  using QStyledItemDelegate::QStyledItemDelegate;

  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    return QStyledItemDelegate::sizeHint(option, index) + QSize(0, 6);
  }

 protected:
  void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override {
    QStyledItemDelegate::initStyleOption(option, index);
    const int direction = index.data(DirectionRole).toInt();
    if (!index.parent().isValid())
      option->palette.setColor(QPalette::Text, ink(Ink::Muted));
    else if (index.column() == ChangeColumn && direction != 0)
      option->palette.setColor(QPalette::Text, ink(direction < 0 ? Ink::Good : Ink::Bad));
  }
};

class ComparisonView final : public QWidget {
 public:
  explicit ComparisonView(Workspace& workspace)
      : m_workspace(workspace),
        m_summary(named(textLabel(), "comparisonSummary")),
        m_waterfall(new Waterfall),
        m_rows(named(new QTreeWidget, "comparisonRows", tr("Where the schedules differ"))),
        m_refresh(*this, [this] { refresh(); }) {
    m_summary->setContentsMargins(12, 8, 12, 8);
    m_rows->setColumnCount(NumComparisonColumns);
    m_rows->setItemDelegate(new ComparisonLine(m_rows));
    m_rows->setRootIsDecorated(false);
    m_rows->setItemsExpandable(false);
    m_rows->setIndentation(8);
    m_rows->setTextElideMode(Qt::ElideMiddle);
    QHeaderView* header = m_rows->header();
    header->setStretchLastSection(false);
    header->setDefaultAlignment(Qt::AlignRight | Qt::AlignVCenter);
    header->setSectionResizeMode(QHeaderView::Interactive);
    header->setSectionResizeMode(WhatColumn, QHeaderView::Stretch);
    header->resizeSection(OtherColumn, 112);
    header->resizeSection(CurrentColumn, 112);
    header->resizeSection(ChangeColumn, 116);
    setLayout(makeColumn({m_summary, m_waterfall, {m_rows, 1}}, {0, 0, 0, 0}, 0));
    connect(&workspace.comparison(), &ComparisonModel::comparisonChanged, &m_refresh,
            &ShownRefresh::ask);
    connect(&workspace.comparison(), &ComparisonModel::choicesChanged, &m_refresh,
            &ShownRefresh::ask);
    connect(m_rows, &QTreeWidget::currentItemChanged, this, [this](const QTreeWidgetItem* item) {
      const QString step =
          item == nullptr ? QString() : item->data(WhatColumn, StepRole).toString();
      if (!step.isEmpty()) m_workspace.selection().select({Selection::Kind::Step, step});
    });
    onThemeChange(*this, [this] { m_rows->viewport()->update(); });
    m_refresh.ask();
  }

 private:
  void refresh() {
    const auto& compared = m_workspace.comparison().comparison();
    m_summary->setText(notice());
    const bool hasRows = compared.value && !compared.value->isEmpty();
    m_rows->setVisible(hasRows);
    m_waterfall->setComparison(compared.value);
    if (std::exchange(m_shown, compared.value) != compared.value) fillRows();
  }

  QString notice() const {
    ComparisonModel& comparison = m_workspace.comparison();
    if (comparison.with().kind == CompareWith::Kind::Nothing)
      return tr("Choose a schedule above, to see where it differs from the current one.");
    if (!comparison.other())
      return tr("There is no schedule before this one: it is there after the next change.");
    const auto& compared = comparison.comparison();
    if (compared.state == RemoteState::Failed) return compared.error;
    return compared.value ? compared.value->summary : tr("Comparing …");
  }

  // Sections, each with a row for every thing that is compared.
  void fillRows() {
    m_rows->clear();
    if (!m_shown) return;
    m_rows->setHeaderLabels({{}, m_shown->other, m_shown->current, tr("change")});
    for (const ComparisonSection& section : m_shown->sections) {
      auto* title = new QTreeWidgetItem(m_rows, {section.title});
      title->setFirstColumnSpanned(true);
      for (const ComparisonRow& row : section.rows) {
        auto* item =
            new QTreeWidgetItem(title, {markedText(row), row.other, row.current, row.change});
        for (int column = WhatColumn; column < NumComparisonColumns; ++column) {
          item->setToolTip(column, item->text(column));
          if (column != WhatColumn)
            item->setTextAlignment(column, Qt::AlignRight | Qt::AlignVCenter);
        }
        if (row.isStep) item->setData(WhatColumn, StepRole, row.what);
        item->setData(ChangeColumn, DirectionRole, row.direction);
      }
    }
    m_rows->expandAll();
  }

  Workspace& m_workspace;
  std::shared_ptr<const ScheduleComparison> m_shown;
  QLabel* m_summary;
  Waterfall* m_waterfall;
  QTreeWidget* m_rows;
  ShownRefresh m_refresh;
};

}  // namespace

QWidget* makeComparisonView(Workspace& workspace) { return new ComparisonView(workspace); }

}  // namespace thallo::gui
