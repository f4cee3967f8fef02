#include "gui/views/plots/prediction_plot.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <QMouseEvent>
#include <QToolTip>

#include "gui/models/text.h"
#include "gui/views/plots/qcp.h"
#include "gui/views/plots/time_ticker.h"

namespace thallo::gui {
namespace {

constexpr std::size_t MostPredictions = 6000;

}  // namespace

PredictionPlot::PredictionPlot(QWidget* parent) : Plot(parent) {
  setObjectName("predictionPlot");
  setAccessibleName(tr("Predicted against measured times"));
  connect(&canvas(), &QCustomPlot::mousePress, this, [this](QMouseEvent* event) {
    if (const auto candidate = candidateAt(event->position()))
      Q_EMIT candidateClicked(m_space->hash[*candidate]);
  });
  connect(&canvas(), &QCustomPlot::mouseMove, this, [this](QMouseEvent* event) {
    const auto candidate = candidateAt(event->position());
    if (!candidate) return QToolTip::hideText();
    const auto model = std::ranges::find(m_space->predicted, m_model, &PredictedColumn::model);
    QToolTip::showText(event->globalPosition().toPoint(),
                       tr("%1 measured, %2 predicted")
                           .arg(secondsText(m_space->seconds[*candidate]),
                                secondsText(model->seconds[*candidate])),
                       this);
  });
  rebuild();
}

void PredictionPlot::show(std::shared_ptr<const SpaceSnapshot> space,
                          const std::vector<bool>& shown, const QString& model,
                          const QString& current) {
  if (space == m_space && shown == m_shown && model == m_model && current == m_current) return;
  m_space = std::move(space);
  m_shown = shown;
  m_model = model;
  m_current = current;
  rebuild();
}

void PredictionPlot::rebuild() {
  QCustomPlot& plot = canvas();
  plot.clearPlottables();
  plot.clearItems();
  QCPAxisRect& rect = *plot.axisRect();
  style(rect);
  rect.setMinimumMargins(QMargins(8, 8, 12, 4));
  for (QCPAxis* axis : {plot.xAxis, plot.yAxis}) {
    axis->setScaleType(QCPAxis::stLogarithmic);
    axis->setTicker(QSharedPointer<TimeTicker>::create(true, 4));
  }
  plot.xAxis->setLabel(tr("measured"));
  plot.yAxis->setLabel(tr("predicted"));
  setPoints({});
  std::vector<Point> shown, others, current;
  const auto end =
      m_space ? m_space->predicted.end() : std::vector<PredictedColumn>::const_iterator();
  const auto model =
      m_space ? std::ranges::find(m_space->predicted, m_model, &PredictedColumn::model) : end;
  if (m_space && model != end) {
    double least = std::numeric_limits<double>::infinity(), largest = 0;
    for (const std::size_t i : thinned(m_space->byTime, MostPredictions)) {
      const double x = m_space->seconds[i], y = model->seconds[i];
      if (!std::isfinite(y) || y <= 0) continue;
      least = std::min({least, x, y});
      largest = std::max({largest, x, y});
      const Point point{&rect, x, y, i};
      (m_space->hash[i] == m_current ? current : m_shown[i] ? shown : others).push_back(point);
    }
    if (largest > 0) {
      const double margin = std::max(1.05, std::pow(largest / least, 0.06));
      for (QCPAxis* axis : {plot.xAxis, plot.yAxis})
        axis->setRange(least / margin, largest * margin);
      QCPGraph* equal = plot.addGraph();
      equal->setData({least / margin, largest * margin}, {least / margin, largest * margin});
      equal->setPen(QPen(ink(Ink::Muted), 1, Qt::DashLine));
      addPoints(rect, others, ink(Ink::Frame), 4);
      QColor color = ink(Ink::Intermediate);
      color.setAlpha(150);
      addPoints(rect, shown, color, 4.5);
      addPoints(rect, current, ink(Ink::Text), 10, true);
    }
  }
  shown.insert(shown.end(), current.begin(), current.end());
  setPoints(std::move(shown));
  plot.replot(QCustomPlot::rpQueuedReplot);
}

}  // namespace thallo::gui
