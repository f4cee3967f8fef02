// Compares two schedules side by side: a sentence says what the current one gains, a waterfall why,
// and a table below shows where the two differ. A click at a step selects it.
#pragma once

#include <QLabel>
#include <QTreeView>
#include <QWidget>

#include "gui/schedule/comparison_table.h"
#include "gui/schedule/view/waterfall.h"
#include "gui/widgets/shown_refresh.h"
#include "gui/workspace/workspace.h"

namespace thallo::gui {

class ComparisonView final : public QWidget {
  Q_OBJECT

 public:
  explicit ComparisonView(Workspace& workspace, QWidget* parent = nullptr);

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void refresh();
  QString notice() const;

  Workspace& m_workspace;
  ComparisonTable m_table;
  QLabel* m_summary;
  Waterfall* m_waterfall;
  QTreeView* m_rows;
  ShownRefresh m_refresh;
};

}  // namespace thallo::gui
