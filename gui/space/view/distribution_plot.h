// Plots the distribution of the times of all schedules: a histogram, the density, a tick for each
// schedule (the rug), and the marked schedules as labelled lines; below them a lane for each other
// device. Dragging selects a range of times. A click at a line, a tick or a dot takes the schedule.
#pragma once

#include <memory>
#include <utility>

#include "gui/space/view/space_lanes.h"
#include "gui/widgets/plot.h"

class QCPItemRect;

namespace thallo::gui {

class MarkLabels;

class DistributionPlot final : public Plot {
  Q_OBJECT

 public:
  DistributionPlot();
  ~DistributionPlot() override;

  // A null `space` shows nothing. `current` is the hash of the current schedule.
  void show(std::shared_ptr<const SpaceSnapshot> space, const std::vector<SpaceLane>& lanes,
            const QString& current);
  void setLogarithmic(bool isLog);
  using Range = std::optional<std::pair<double, double>>;
  void setBrush(const Range& seconds);
  // Returns the position of a time in pixels of this widget; for tests.
  double xOf(double seconds) const;
  // The number of lanes that are drawn; for tests.
  int numLanes() const { return static_cast<int>(m_lanes.size()); }

 Q_SIGNALS:
  void brushed(const thallo::gui::DistributionPlot::Range& seconds);

 protected:
  void rebuild() override;

 private:
  void addHistogram();
  void addDensity();
  void addRug();
  void addMarks();
  void addLanes();
  void setRanges();
  void showBrush();
  void press(QMouseEvent* event);
  void drag(QMouseEvent* event);
  void release(QMouseEvent* event);
  const LaneDot* dotAt(QPointF position) const;
  QString toolTipAt(QPointF position) const;
  double highest() const;

  std::shared_ptr<const SpaceSnapshot> m_space;
  std::vector<SpaceLane> m_lanes;
  std::vector<LaneDot> m_dots;
  QString m_current;
  bool m_isLog = true;
  Range m_brush;
  QCPItemRect* m_brushItem = nullptr;
  std::unique_ptr<MarkLabels> m_marks;
  std::optional<QPointF> m_pressed;
};

}  // namespace thallo::gui
