// The main window: pages in the middle, schedules on the left, the inspector on the right, and the
// time strip, which is always visible, below them.
#pragma once

#include <functional>
#include <vector>

#include <QAction>
#include <QLabel>
#include <QMainWindow>
#include <QStackedWidget>
#include <QTabBar>

#include "gui/app/tour.h"
#include "gui/widgets/theme.h"
#include "gui/workspace/view/page.h"
#include "gui/workspace/workspace.h"

namespace thallo::gui {

class MainWindow final : public QMainWindow {
 public:
  explicit MainWindow(Workspace& workspace);

  const std::vector<Page*>& pages() const { return m_pages; }
  Page& currentPage() const { return *m_pages[static_cast<std::size_t>(m_tabs->currentIndex())]; }
  // True if nothing is in progress that would change the window outside the page.
  bool isSettled() const;
  // Returns false if there is no page with that id.
  bool showPage(const QString& id);
  // It is not started here.
  Tour& tour() { return *m_tour; }
  // Both show a fault in a message box, and return false then.
  bool openSession(const QString& file);
  bool saveSession(const QString& file);

 protected:
  // Asks about what runs and about unsaved changes.
  void closeEvent(QCloseEvent* event) override;

 private:
  void addPage(Page* page);
  QWidget* makeHeader();
  void makeActions();
  QAction* makeAction(const QString& text, const QKeySequence& key, std::function<void()> run);
  void chooseSession(bool isToSave);
  void makeLogButton();
  // Also gives the keyboard to the page, if it has a view for it.
  void showPageAt(int index);
  void toggleTheme();
  void refreshTitle();
  // Calls `proceed` once the user has agreed to everything that leaving would lose.
  void askToLeave(std::function<void()> proceed);

  Workspace& m_workspace;
  std::vector<Page*> m_pages;
  QTabBar* m_tabs;
  QStackedWidget* m_stack;
  QLabel* m_title;
  QWidget* m_measureBar;
  Tour* m_tour;
  bool m_mayClose = false;   // true if the user has answered all questions
  bool m_isClosing = false;  // true in closeEvent()
};

}  // namespace thallo::gui
