// Runs the current schedule and shows how the cost falls, the results, and a comparison of runs.
#pragma once

#include <QCheckBox>
#include <QComboBox>
#include <QLineEdit>

#include "gui/solve/view/convergence_plot.h"
#include "gui/solve/view/run_pictures.h"
#include "gui/solve/view/run_table.h"
#include "gui/workspace/view/page.h"

namespace thallo::gui {

class SolvePage final : public Page {
  Q_OBJECT

 public:
  explicit SolvePage(Workspace& workspace, QWidget* parent = nullptr);

  bool isSettled() const override;
  void prepareForPicture() override;
  int itemCount() const override { return m_table->rowCount(); }

 private:
  QWidget* makeControls();
  QWidget* makeResults();
  void start();
  void refresh();
  void refreshSettings();
  void showRuns();
  void refreshRun();
  QString factsOf(const SolveRun& run) const;
  QWidget* makePlot();
  void fillSolvers();
  const SolveRun* shownRun() const;

  QWidget* m_controls;
  QComboBox* m_backend;
  QComboBox *m_linearSolver, *m_preconditioner;
  QLineEdit* m_options;
  QLabel* m_optionsFault;
  QPushButton* m_startButton;
  QPushButton* m_cancelButton;
  QLabel* m_stage;
  ConvergencePlot* m_plot;
  RunTable* m_table;
  RunPictures* m_pictures;
  QLabel* m_facts;
  ShownRefresh m_refreshRuns;
};

}  // namespace thallo::gui
