// Where to begin while no problem is chosen: three ways into the app as large buttons, and the
// problems that were opened last.
#pragma once

#include <QLabel>
#include <QListView>
#include <QMenu>
#include <QWidget>

#include "gui/workspace/workspace.h"

namespace thallo::gui {

class WayButton;

class StartView final : public QWidget {
  Q_OBJECT

 public:
  explicit StartView(Workspace& workspace, QWidget* parent = nullptr);

 Q_SIGNALS:
  // Emitted when a page is to be shown, because a problem opens that it shows.
  void pageAsked(const QString& page);
  void openAsked();  // a file
  void newAsked();   // an energy

 private:
  void refresh();
  void begin(const std::optional<ProblemRequest>& request, const QString& page);

  Workspace& m_workspace;
  WayButton *m_schedule, *m_energy, *m_space;
  QMenu* m_bring;
  QLabel* m_title;
  QListView* m_recent;
};

}  // namespace thallo::gui
