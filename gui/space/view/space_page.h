// Shows the measured schedules of a problem: the distribution of their times, how well they agree
// with predictions or other measurements, what each choice gains, and a table of all. Selecting in
// one of the views filters all of them.
#pragma once

#include <QComboBox>
#include <QLabel>
#include <QSplitter>
#include <QToolButton>

#include "gui/space/view/exploration_panel.h"
#include "gui/workspace/view/page.h"

namespace thallo::gui {

class CandidateView;
class AgreementPlot;
class StripPlots;
class TimesPanel;

class SpacePage final : public Page {
  Q_OBJECT

 public:
  explicit SpacePage(Workspace& workspace, QWidget* parent = nullptr);
  bool isSettled() const override;
  int itemCount() const override;

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  QWidget* makeAgreement();
  QWidget* makeStrips();
  void refresh();
  void refreshState();
  // Returns the actions offered if a store cannot be read.
  std::vector<PageAction> remedies();
  void refreshPlots();
  void refreshOthers();
  void refreshAgreement();
  void countWhenShown();

  ExplorationPanel* m_panel;
  TimesPanel* m_times;
  AgreementPlot* m_agreement;
  StripPlots* m_strips;
  QLabel* m_stripsNote;
  QComboBox* m_others;
  ShownRefresh m_refreshPlots;
};

}  // namespace thallo::gui
