// Plots how fast runs of the solver come down, over iterations or over time, on a logarithmic axis:
// their costs, or how far these are above the lowest one that any run has reached. The solves of a
// sequence stand side by side. The newest run is drawn most strongly; rejected steps are hollow.
#pragma once

#include <memory>

#include "gui/solve/convergence.h"
#include "gui/widgets/plot.h"

namespace thallo::gui {

class ConvergencePlot final : public Plot {
 public:
  enum class Quantity { AboveLowest, Cost };

  ConvergencePlot();

  void show(std::shared_ptr<const SolveSnapshot> runs);
  void setOverTime(bool isOverTime);
  void setQuantity(Quantity quantity);
  // The solves that are drawn: all, or some evenly spaced ones if there are many.
  const std::vector<int>& solves() const { return m_solves; }

 protected:
  void rebuild() override;

 private:
  void addSolve(QCPAxisRect& rect, int solve);
  void addRun(QCPAxisRect& rect, const SolveRun& run, int solve);
  void styleAxes(QCPAxisRect& rect, int solve);
  void setCosts();
  // The value that is drawn of a cost.
  double valueOf(double cost, int solve) const;

  std::shared_ptr<const SolveSnapshot> m_runs;
  std::vector<int> m_solves;
  LowestCosts m_lowest;
  double m_floor = 0;  // where the lowest cost itself is drawn, which is 0 above the lowest
  bool m_isOverTime = false;
  Quantity m_quantity = Quantity::AboveLowest;
};

// Returns the color of a run, which is the same in the plot and in the list of runs.
QColor runColor(const SolveRun& run);

}  // namespace thallo::gui
