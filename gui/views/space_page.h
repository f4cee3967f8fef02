// The schedules of a problem that were measured: how their times are distributed, how well they
// agree with what was predicted or measured elsewhere, what each choice buys, and all of them as a
// table. Brushing and clicking in one of them shows in all.
#pragma once

#include <QComboBox>
#include <QLabel>
#include <QSplitter>
#include <QToolButton>

#include "gui/views/exploration_panel.h"
#include "gui/views/page.h"

namespace thallo::gui {

class CandidateView;
class DistributionPlot;
class Plot;
class AgreementPlot;
class StripPlots;

class SpacePage final : public Page {
  Q_OBJECT

 public:
  explicit SpacePage(Workspace& workspace, QWidget* parent = nullptr);
  bool isSettled() const override;
  int itemCount() const override;

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  QWidget* makeDistribution();
  QWidget* makeAgreement();
  QWidget* makeStrips();
  void refresh();
  void refreshState();
  // What can be done about a store that cannot be read.
  std::vector<PageAction> remedies();
  void refreshPlots();
  void refreshOthers();
  void refreshAgreement();
  void countWhenShown();

  ExplorationPanel* m_panel;
  DistributionPlot* m_distribution;
  AgreementPlot* m_agreement;
  StripPlots* m_strips;
  QLabel* m_stripsNote;
  QComboBox* m_others;
  QLabel* m_headline;
};

}  // namespace thallo::gui
