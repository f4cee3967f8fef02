// Plots how the cost falls in runs of the solver, over iterations or over time, on a logarithmic
// axis. The newest run is drawn most strongly; rejected steps are hollow.
#pragma once

#include <memory>

#include "gui/solve/solve_data.h"
#include "gui/widgets/plot.h"

namespace thallo::gui {

class ConvergencePlot final : public Plot {
  Q_OBJECT

 public:
  explicit ConvergencePlot(QWidget* parent = nullptr);

  void show(std::shared_ptr<const SolveSnapshot> runs);
  void setOverTime(bool isOverTime);

 protected:
  void rebuild() override;

 private:
  void addRun(const SolveRun& run, const QColor& color, bool isNewest);

  std::shared_ptr<const SolveSnapshot> m_runs;
  bool m_isOverTime = false;
};

// Returns the color of a run, which is the same in the plot and in the list of runs.
QColor runColor(const SolveRun& run);

}  // namespace thallo::gui
