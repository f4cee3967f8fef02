#include "gui/schedule/view/way_bar.h"

#include <algorithm>

#include "gui/base/text.h"
#include "gui/widgets/layouts.h"
#include "gui/widgets/theme.h"

namespace thallo::gui {
namespace {

constexpr int EdgeMargin = 8;
constexpr int StepSpace = 2;
constexpr int WidestText = 190;
constexpr std::size_t NumGaps = 2;  // after the first step, and at the end

}  // namespace

WayBar::WayBar(Workspace& workspace) : m_workspace(workspace) {
  named(this, "wayBar", tr("The way to this schedule"));
  setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
  for (std::size_t i = 0; i < NumGaps; ++i) {
    m_gaps.push_back(new QLabel(QStringLiteral("…"), this));
    m_gaps.back()->hide();
  }
  connect(&workspace.way(), &WayModel::changed, this, &WayBar::refresh);
  onThemeChange(*this, [this] { refresh(); });
  refresh();
}

QSize WayBar::sizeHint() const { return {400, fontMetrics().height() + 12}; }

QToolButton* WayBar::button(std::size_t step) {
  while (m_buttons.size() <= step) {
    auto* made = named(new QToolButton(this), QStringLiteral("way%1").arg(m_buttons.size()));
    made->setAutoRaise(true);
    made->setFocusPolicy(Qt::StrongFocus);
    connect(made, &QToolButton::clicked, this,
            [this, i = m_buttons.size()] { m_workspace.way().go(i); });
    m_buttons.push_back(made);
  }
  return m_buttons[step];
}

void WayBar::refresh() {
  const WayModel& way = m_workspace.way();
  const auto& steps = way.steps();
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const auto& [text, hash, time, index] = steps[i];
    QToolButton& its = *button(i);
    const QString seconds = timeText(time.seconds(), time.measured.has_value());
    const QString what = fontMetrics().elidedText(text, Qt::ElideMiddle, WidestText);
    its.setText(
        (i == 0 ? QStringLiteral("%1  %2") : QStringLiteral("›  %1  %2")).arg(what, seconds));
    QString tip = text;
    tip.replace(QStringLiteral("; "), QStringLiteral("\n"));
    tip += '\n' + seconds;
    if (i > 0) {
      const TimeChange change = changeBetween(steps[i - 1].time, time);
      const QString gain = changeText(change.from, change.to);
      if (!gain.isEmpty()) tip += QStringLiteral(", ") + gain;
    }
    if (i < way.current()) tip += '\n' + tr("Goes back to it");
    if (i > way.current()) tip += '\n' + tr("Undone; goes forward to it");
    its.setToolTip(tip);
    its.setAccessibleName(QStringLiteral("%1, %2").arg(text, seconds));
    QFont weight = font();
    weight.setBold(i == way.current());
    its.setFont(weight);
    QPalette palette = this->palette();
    palette.setColor(QPalette::ButtonText, ink(i > way.current() ? Ink::Muted : Ink::Text));
    its.setPalette(palette);
  }
  setVisible(steps.size() > 1);
  layOut();
}

std::vector<bool> WayBar::shownSteps() const {
  const std::size_t num = m_workspace.way().steps().size();
  const std::size_t current = m_workspace.way().current();
  std::vector<bool> isShown(num, false);
  int room = width() - 2 * EdgeMargin -
             static_cast<int>(NumGaps) * (m_gaps.front()->sizeHint().width() + StepSpace);
  const auto show = [&](std::size_t i) {
    if (isShown[i]) return true;
    const int needed = m_buttons[i]->sizeHint().width() + StepSpace;
    if (needed > room && i != current) return false;
    room -= needed;
    isShown[i] = true;
    return true;
  };
  if (num == 0) return isShown;
  show(current);
  show(0);
  for (std::size_t away = 1; away < num; ++away) {
    if (away <= current && !show(current - away)) break;
    if (current + away < num && !show(current + away)) break;
  }
  return isShown;
}

void WayBar::layOut() {
  const auto& steps = m_workspace.way().steps();
  const std::vector<bool> isShown = shownSteps();
  int x = EdgeMargin;
  std::size_t gap = 0;
  const auto place = [&](QWidget& widget) {
    const QSize size = widget.sizeHint();
    widget.setGeometry(x, (height() - size.height()) / 2, size.width(), size.height());
    widget.show();
    x += size.width() + StepSpace;
  };
  for (std::size_t i = 0; i < m_buttons.size(); ++i) {
    if (i < steps.size() && isShown[i]) {
      place(*m_buttons[i]);
      continue;
    }
    m_buttons[i]->hide();
    if (i >= steps.size()) continue;
    // A row of steps that are left out has one gap, which names them.
    const bool isFirst = i == 0 || isShown[i - 1];
    if (isFirst && gap < m_gaps.size()) {
      m_gaps[gap]->setToolTip({});
      place(*m_gaps[gap++]);
    }
    QLabel& its = *m_gaps[std::max<std::size_t>(gap, 1) - 1];
    its.setToolTip((its.toolTip() + '\n' + m_buttons[i]->accessibleName()).trimmed());
  }
  for (; gap < m_gaps.size(); ++gap) m_gaps[gap]->hide();
}

void WayBar::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  layOut();
}

}  // namespace thallo::gui
