// The left diagram of the space page: how the times of all schedules are distributed, or how soon
// searches found the best ones.
#pragma once

#include <QLabel>
#include <QStackedWidget>
#include <QTabBar>

#include "gui/workspace/workspace.h"

namespace thallo::gui {

class CurvePlot;
class DistributionPlot;
class ElidedLabel;
class Plot;

class TimesPanel final : public QWidget {
  Q_OBJECT

 public:
  explicit TimesPanel(Workspace& workspace);

  // Shows the present state of the models; `current` is the hash of the current schedule.
  void refresh(const QString& current);

 Q_SIGNALS:
  void candidateClicked(const QString& hash);

 private:
  void makeTabs();
  QWidget* makeDistribution();
  QWidget* makeCurves();
  void showCurves(bool isOn);
  void refreshHeadline();
  void refreshRuns();

  Workspace& m_workspace;
  DistributionPlot* m_distribution;
  CurvePlot* m_curves;
  QTabBar* m_tabs;
  QList<QWidget*> m_distributionTools, m_curveTools;
  QStackedWidget* m_stack;
  QLabel *m_headline, *m_noRuns;
  ElidedLabel* m_figures;
};

}  // namespace thallo::gui
