// Energy, graph and kernel side by side. What is selected in one of them is lit in all of them, in
// the schedule and in the time strip: a line of the energy with the nodes and the lines of kernels
// that come from it.
#pragma once

#include <memory>

#include <QComboBox>

#include "gui/workspace/view/page.h"

namespace thallo::gui {

class CodeView;
class EnergyHighlighter;
class GraphPage;
class KernelCode;

class LinkedPage final : public Page {
  Q_OBJECT

 public:
  explicit LinkedPage(Workspace& workspace, QWidget* parent = nullptr);

  bool isSettled() const override;
  int itemCount() const override;  // lines of the energy

 protected:
  void showEvent(QShowEvent* event) override;
  void hideEvent(QHideEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  QWidget* makeEnergy();
  QWidget* makeKernel();
  void showEnergy();
  void showKernels();
  void onLinked();
  void light();
  void selectLine(int line);

  std::shared_ptr<const ProblemSnapshot> m_problem;
  std::shared_ptr<const KernelSnapshot> m_kernels;
  CodeView* m_energy;
  EnergyHighlighter* m_highlighter;
  GraphPage* m_graph;
  QComboBox* m_steps;
  KernelCode* m_code;
  ShownRefresh m_refresh;
};

}  // namespace thallo::gui
