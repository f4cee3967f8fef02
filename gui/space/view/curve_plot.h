// Plots how soon searches found fast schedules: the best time so far of each recorded run, against
// the number of schedules that were measured or against seconds.
#pragma once

#include <memory>
#include <optional>

#include "gui/widgets/plot.h"

namespace thallo::gui {

class CurvePlot final : public Plot {
  Q_OBJECT

 public:
  enum class Axis { Schedules, Seconds };

  CurvePlot();

  // Null shows nothing.
  void show(std::shared_ptr<const SpaceSnapshot> space);
  void setAxis(Axis axis);
  int numCurves() const;
  // Returns the position of a step of a run in pixels of this widget; for tests.
  QPointF positionOf(std::size_t run, std::size_t step) const;

 protected:
  void rebuild() override;

 private:
  // A step of a run; both count from 0.
  struct Place {
    std::size_t run = 0, step = 0;
  };
  double placeOf(const BestPoint& step) const;
  double heightOf(const BestPoint& step) const;
  double endOf(const SearchCurve& run) const;
  void setRanges();
  void addCurve(const RunCurve& run, const QColor& color, bool isLatest);
  std::optional<Place> stepAt(QPointF position) const;
  QString toolTipOf(const Place& place) const;

  std::shared_ptr<const SpaceSnapshot> m_space;
  Axis m_axis = Axis::Schedules;
  double m_slowest = 0;  // seconds at which the axis of times ends
};

}  // namespace thallo::gui
