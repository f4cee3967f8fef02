#include "gui/space/view/strip_plots.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <QMouseEvent>
#include <QToolTip>

#include "gui/base/text.h"
#include "gui/widgets/qcp.h"
#include "gui/widgets/time_ticker.h"

namespace thallo::gui {
namespace {

constexpr std::size_t MostStrips = 8;
constexpr std::size_t MostOfASite = 6;
constexpr std::size_t MostOfAStrip = 1500;
constexpr int StripWidth = 240;
constexpr int StripRowHeight = 13;
constexpr int LongestLabel = 18;

// Spreads the points of a row vertically; a candidate always gets the same offset.
double jitter(std::size_t candidate) {
  const auto mixed = (candidate * 2654435761u) >> 8;
  return (static_cast<double>(mixed & 0xffff) / 65535 - 0.5) * 0.6;
}

}  // namespace

StripPlots::StripPlots() : Plot("stripPlots", tr("Time by the choice at each site")) {
  QCustomPlot& plot = canvas();
  connect(&plot, &QCustomPlot::mousePress, this, &StripPlots::press);
  connect(&plot, &QCustomPlot::mouseMove, this, [this](QMouseEvent* event) {
    const auto candidate = candidateAt(event->position());
    if (!candidate) return QToolTip::hideText();
    QToolTip::showText(event->globalPosition().toPoint(), secondsText(m_space->seconds[*candidate]),
                       this);
  });
}

void StripPlots::show(std::shared_ptr<const SpaceSnapshot> space, const std::vector<bool>& shown,
                      const SpaceFilter& filter, const QString& current) {
  if (space == m_space && shown == m_shown && filter == m_filter && current == m_current) return;
  m_space = std::move(space);
  m_shown = shown;
  m_filter = filter;
  m_current = current;
  rebuild();
}

int StripPlots::numColumns() const { return std::max(1, width() / StripWidth); }

void StripPlots::resizeEvent(QResizeEvent* event) {
  Plot::resizeEvent(event);
  if (numColumns() != m_numColumns) rebuild();
}

void StripPlots::rebuild() {
  QCustomPlot& plot = canvas();
  plot.clearPlottables();
  plot.clearItems();
  plot.plotLayout()->clear();
  plot.setBackground(QBrush(ink(Ink::Raised)));
  m_strips.clear();
  std::vector<Point> points;
  m_numColumns = numColumns();
  int height = 0, rowHeight = 0;
  if (m_space && !m_space->byTime.empty()) {
    const std::size_t count = std::min(MostStrips, numSignificant(m_space->effects));
    for (std::size_t i = 0; i < count; ++i) {
      const int row = static_cast<int>(i) / m_numColumns;
      const int column = static_cast<int>(i) % m_numColumns;
      const SiteEffect& effect = m_space->effects[i];
      const std::size_t numChoices = std::min(MostOfASite, effect.choices.size());
      m_strips.push_back({addStrip(effect, row, column), &effect, numChoices});
      addCandidates(m_strips.back(), points);
      if (column == 0) height += std::exchange(rowHeight, 0);
      rowHeight = std::max(rowHeight, static_cast<int>(numChoices + 3) * StripRowHeight + 12);
    }
    // Keeps the width of columns if the last row is not full.
    for (int column = static_cast<int>(count); column < m_numColumns; ++column)
      plot.plotLayout()->addElement(0, column, new QCPLayoutGrid);
  }
  setMinimumHeight(std::max(96, height + rowHeight));
  setPoints(std::move(points));
  plot.replot(QCustomPlot::rpQueuedReplot);
}

QCPAxisRect* StripPlots::addStrip(const SiteEffect& effect, int row, int column) {
  QCustomPlot& plot = canvas();
  auto* cell = new QCPLayoutGrid;
  cell->setRowSpacing(0);
  plot.plotLayout()->addElement(row, column, cell);
  const QFont bold = boldFont(font());
  const QString share =
      tr("%1 %  ·  n %2").arg(significant(100 * effect.explained, 2), countText(effect.num_timed));
  const QString title = QFontMetrics(bold).elidedText(
      effect.together.empty() ? toQt(effect.site)
                              : tr("%1 + %2").arg(toQt(effect.site)).arg(effect.together.size()),
      Qt::ElideMiddle,
      std::max(60, width() / m_numColumns - fontMetrics().horizontalAdvance(share) - 36));
  auto* text = new QCPTextElement(&plot, title + "   " + share, bold);
  text->setTextColor(ink(Ink::Text));
  text->setTextFlags(Qt::AlignLeft | Qt::AlignVCenter);
  text->setMargins(QMargins(8, 2, 4, 0));
  cell->addElement(0, 0, text);
  auto* rect = new QCPAxisRect(&plot);
  cell->addElement(1, 0, rect);
  style(*rect);
  rect->setMinimumMargins(QMargins(8, 2, 12, 2));
  QCPAxis* x = rect->axis(QCPAxis::atBottom);
  QCPAxis* y = rect->axis(QCPAxis::atLeft);
  x->setScaleType(QCPAxis::stLogarithmic);
  x->setTicker(QSharedPointer<TimeTicker>::create(true, 3));
  const double least = m_space->seconds[m_space->byTime.front()];
  const double largest = m_space->seconds[m_space->byTime.back()];
  const double margin = std::max(1.02, std::pow(largest / least, 0.05));
  x->setRange(least / margin, largest * margin);
  const std::size_t numChoices = std::min(MostOfASite, effect.choices.size());
  auto labels = QSharedPointer<QCPAxisTickerText>::create();
  for (std::size_t k = 0; k < numChoices; ++k) {
    const QString choice = toQt(effect.choices[k]);
    labels->addTick(static_cast<double>(k), choice.size() <= LongestLabel
                                                ? choice
                                                : choice.left(LongestLabel - 1) + QChar(0x2026));
  }
  y->setTicker(labels);
  y->setTickLength(0);
  y->setRangeReversed(true);
  y->setRange(-0.6, static_cast<double>(numChoices) - 0.4);
  y->grid()->setVisible(false);
  return rect;
}

void StripPlots::addCandidates(const Strip& strip, std::vector<Point>& points) {
  const SiteEffect& effect = *strip.effect;
  std::vector<Point> shown, others, current;
  for (const std::size_t i : thinned(m_space->byTime, MostOfAStrip)) {
    if (effect.chosen[i] >= strip.numChoices) continue;
    const Point point{strip.rect, m_space->seconds[i], effect.chosen[i] + jitter(i), i};
    (m_space->hash[i] == m_current ? current : m_shown[i] ? shown : others).push_back(point);
  }
  addPoints(*strip.rect, others, ink(Ink::Frame), 3);
  addPoints(*strip.rect, shown, ink(Ink::Intermediate, shown.size() > 300 ? 110 : 170), 3.5);
  const auto filtered = m_filter.choices.find(toQt(effect.site));
  for (std::size_t k = 0; k < strip.numChoices; ++k) {
    if (std::isnan(effect.medians[k])) continue;
    auto* bar = new QCPItemLine(&canvas());
    bar->setClipAxisRect(strip.rect);
    for (QCPItemPosition* end : {bar->start, bar->end}) {
      end->setAxisRect(strip.rect);
      end->setAxes(strip.rect->axis(QCPAxis::atBottom), strip.rect->axis(QCPAxis::atLeft));
    }
    const double at = static_cast<double>(k);
    bar->start->setCoords(effect.medians[k], at - 0.42);
    bar->end->setCoords(effect.medians[k], at + 0.42);
    const bool isChosen =
        filtered != m_filter.choices.end() && filtered->second == toQt(effect.choices[k]);
    bar->setPen(QPen(ink(isChosen ? Ink::Accent : Ink::Product), isChosen ? 4 : 2.5));
  }
  addPoints(*strip.rect, current, ink(Ink::Text), 9, true);
  points.insert(points.end(), shown.begin(), shown.end());
  points.insert(points.end(), current.begin(), current.end());
}

void StripPlots::press(QMouseEvent* event) {
  if (const auto candidate = candidateAt(event->position())) {
    Q_EMIT candidateClicked(m_space->hash[*candidate]);
    return;
  }
  for (const Strip& strip : m_strips) {
    if (!strip.rect->outerRect().contains(event->position().toPoint())) continue;
    const double row = strip.rect->axis(QCPAxis::atLeft)->pixelToCoord(event->position().y());
    const auto choice = static_cast<std::size_t>(std::max(0.0, std::round(row)));
    if (choice < strip.numChoices) {
      Q_EMIT choiceClicked(toQt(strip.effect->site), toQt(strip.effect->choices[choice]));
      return;
    }
  }
}

}  // namespace thallo::gui
