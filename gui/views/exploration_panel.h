// The top of the space page: the store, and the exploration: what is explored and how, then how far
// it is, with pause and cancel.
#pragma once

#include <QComboBox>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QSpinBox>
#include <QStackedWidget>

#include "gui/models/workspace.h"
#include "gui/views/store_row.h"

namespace thallo::gui {

class ExplorationPanel final : public QWidget {
  Q_OBJECT

 public:
  explicit ExplorationPanel(Workspace& workspace, QWidget* parent = nullptr);

  // As the form has them.
  ExplorationSettings settings() const;
  // Asks for another store, and opens it.
  void openStore() { m_storeRow->openStore(); }
  // Begins to explore with these settings.
  void explore();

 private:
  QWidget* makeForm();
  QWidget* makeProgress();
  void refreshShown();
  void refreshExploration();
  void showProgress();
  // The processor of this machine; null while it is not known.
  const DeviceChoice* findCpu() const;

  Workspace& m_workspace;
  StoreRow* m_storeRow;
  QStackedWidget* m_stack;
  QComboBox *m_search, *m_space, *m_objective;
  QSpinBox *m_samples, *m_budget, *m_workers;
  QPushButton* m_explore;
  QProgressBar* m_progress;
  QLabel* m_doing;
  QPushButton *m_pause, *m_cancel;
  QWidget* m_fault;
  QLabel* m_faultText;
  QPushButton* m_toCpu;
};

}  // namespace thallo::gui
