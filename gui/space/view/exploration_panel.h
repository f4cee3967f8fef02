// The top of the space page: the store, and the exploration with its settings or, while it runs,
// its progress and buttons to pause and cancel.
#pragma once

#include <map>

#include <QComboBox>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QSpinBox>
#include <QStackedWidget>
#include <QToolButton>

#include "gui/workspace/view/option_form.h"
#include "gui/workspace/workspace.h"

namespace thallo::gui {

class StoreRow;

class ExplorationPanel final : public QWidget {
 public:
  explicit ExplorationPanel(Workspace& workspace);

  // Returns the settings in the form.
  ExplorationSettings settings() const;
  // Asks for another store and opens it.
  void openStore();
  // Starts an exploration with these settings.
  void explore();

 private:
  QWidget* makeForm();
  QWidget* makeProgress();
  void refreshSearches();
  void refreshSearch();
  void askForOptions();
  // Returns the search in the box; null until the catalog is known.
  const NamedPart* findSearch() const;
  void refreshShown();
  void refreshExploration();
  void showProgress();
  // Returns the processor of this machine; null until it is known.
  const DeviceChoice* findCpu() const;

  Workspace& m_workspace;
  StoreRow* m_storeRow;
  QStackedWidget* m_stack;
  QComboBox *m_search, *m_space, *m_objective;
  QSpinBox *m_samples, *m_budget, *m_workers;
  QPushButton* m_explore;
  QToolButton* m_options;
  std::map<QString, OptionForm::Values> m_searchOptions;  // by search; those that were set
  QProgressBar* m_progress;
  QLabel* m_doing;
  QPushButton *m_pause, *m_cancel;
  QWidget* m_fault;
  QLabel* m_faultText;
  QPushButton* m_toCpu;
};

}  // namespace thallo::gui
