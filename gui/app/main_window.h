// The window: pages in the middle, schedules at the left, the inspector at the right, and below
// them the time strip, which never leaves.
#pragma once

#include <functional>
#include <vector>

#include <QAction>
#include <QLabel>
#include <QMainWindow>
#include <QStackedWidget>
#include <QTabBar>

#include "gui/models/workspace.h"
#include "gui/views/page.h"
#include "gui/views/search_box.h"
#include "gui/views/theme.h"

namespace thallo::gui {

class MainWindow final : public QMainWindow {
  Q_OBJECT

 public:
  explicit MainWindow(Workspace& workspace, QWidget* parent = nullptr);

  const std::vector<Page*>& pages() const { return m_pages; }
  Page& currentPage() const { return *m_pages[static_cast<std::size_t>(m_tabs->currentIndex())]; }
  // Is nothing under way that would change what the window shows beside the page?
  bool isSettled() const;
  // False when there is no page of that name.
  bool showPage(const QString& id);
  // Both tell a fault in a message box; false when there was one.
  bool openSession(const QString& file);
  bool saveSession(const QString& file);

 protected:
  void changeEvent(QEvent* event) override;
  // Asks about what is not saved.
  void closeEvent(QCloseEvent* event) override;

 private:
  void addPage(Page* page);
  QWidget* makeHeader();
  void makeActions();
  QAction* makeAction(const QString& text, const QKeySequence& key, std::function<void()> run);
  void chooseSession(bool isToSave);
  void makeLogButton();
  void toggleTheme();
  void refreshTitle();

  Workspace& m_workspace;
  std::vector<Page*> m_pages;
  QTabBar* m_tabs;
  QStackedWidget* m_stack;
  QLabel* m_title;
  SearchBox* m_search;
};

}  // namespace thallo::gui
