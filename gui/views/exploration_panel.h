// The top of the space page: the store, how many schedules there are, and the exploration: what is
// explored and how, then how far it is, with pause and cancel.
#pragma once

#include <functional>
#include <optional>

#include <QComboBox>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QSpinBox>
#include <QStackedWidget>

#include "gui/models/workspace.h"

namespace thallo::gui {

class ExplorationPanel final : public QWidget {
  Q_OBJECT

 public:
  explicit ExplorationPanel(Workspace& workspace, QWidget* parent = nullptr);

  // As the form has them.
  ExplorationSettings settings() const;
  // Begins to explore with these settings.
  void explore();

 private:
  QWidget* makeStoreRow();
  QWidget* makeForm();
  QWidget* makeProgress();
  void refreshStore();
  void refreshCounts();
  void refreshExploration();
  void openStore();
  void showProgress();
  // The id of the first device of the catalog that is wanted.
  using IsWanted = std::function<bool(const DeviceChoice&)>;
  std::optional<QString> findDevice(const IsWanted& isWanted) const;
  void lookOn(const IsWanted& isWanted);

  Workspace& m_workspace;
  QLabel* m_store;
  QComboBox* m_devices;
  QPushButton* m_lookThere;
  QLabel* m_counts;
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
