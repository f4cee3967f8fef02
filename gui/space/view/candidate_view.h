// Shows the candidates as a table, with the controls that filter them.
#pragma once

#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QTableView>
#include <QToolButton>

#include "gui/space/candidate_table.h"
#include "gui/widgets/shown_refresh.h"
#include "gui/workspace/workspace.h"

namespace thallo::gui {

class CandidateView final : public QWidget {
  Q_OBJECT

 public:
  explicit CandidateView(Workspace& workspace, QWidget* parent = nullptr);

 private:
  QWidget* makeFilterBar();
  void refresh();
  void showCurrent();
  void placeDevices();
  void exportTable();
  void edit(const std::function<void(SpaceFilter&)>& change);

  Workspace& m_workspace;
  CandidateTable m_table;
  ShownCandidates m_shown;
  QTableView* m_view;
  QLineEdit* m_words;
  QComboBox* m_show;
  QToolButton* m_clear;
  QLabel* m_summary;
  ShownRefresh m_refresh;
};

}  // namespace thallo::gui
