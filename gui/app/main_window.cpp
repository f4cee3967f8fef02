#include "gui/app/main_window.h"

#include <algorithm>
#include <utility>

#ifdef __GLIBC__
#include <malloc.h>
#endif

#include <QCloseEvent>
#include <QFileDialog>
#include <QKeySequence>
#include <QMessageBox>
#include <QSettings>
#include <QSplitter>
#include <QStatusBar>
#include <QToolButton>

#include "core/base/log.h"
#include "gui/app/linked_page.h"
#include "gui/base/text.h"
#include "gui/graph/view/graph_page.h"
#include "gui/kernels/view/kernels_page.h"
#include "gui/problem/view/problem_page.h"
#include "gui/problem/view/unsaved_energy.h"
#include "gui/schedule/view/schedule_list.h"
#include "gui/schedule/view/schedule_page.h"
#include "gui/schedule/view/time_strip.h"
#include "gui/schedule/view/way_bar.h"
#include "gui/solve/view/solve_page.h"
#include "gui/space/view/space_page.h"
#include "gui/widgets/labels.h"
#include "gui/widgets/layouts.h"
#include "gui/workspace/view/inspector.h"
#include "gui/workspace/view/log_dialog.h"
#include "gui/workspace/view/measure_bar.h"
#include "gui/workspace/view/running_work.h"
#include "gui/workspace/view/search_box.h"

namespace thallo::gui {
namespace {

// Makes every free of a small block join it with its neighbours at once. By default, glibc puts
// that off until somebody asks for a large block, and then does it for all blocks that the jobs
// have freed: a paint of the window took 60 ms in an allocation. Does nothing with other libraries.
void joinFreedBlocksAtOnce() {
#ifdef __GLIBC__
  mallopt(M_MXFAST, 0);
#endif
}

// Makes the pages of the window, in the order of their tabs.
std::vector<Page*> makePages(Workspace& workspace) {
  return {new ProblemPage(workspace), new GraphPage(workspace), makeSchedulePage(workspace),
          makeKernelsPage(workspace), makeSpacePage(workspace), makeSolvePage(workspace),
          makeLinkedPage(workspace)};
}

}  // namespace

MainWindow::MainWindow(Workspace& workspace)
    : m_workspace(workspace),
      m_tabs(named(new QTabBar, "pageTabs")),
      m_stack(new QStackedWidget),
      m_title(mutedLabel()),
      m_measureBar(makeMeasureBar(workspace)),
      m_tour(new Tour(workspace, *this)) {
  joinFreedBlocksAtOnce();
  setObjectName("mainWindow");
  setWindowTitle("Thallo Explorer");
  m_tabs->setDrawBase(false);
  m_tabs->setExpanding(false);
  auto* columns = named(new QSplitter, "columns");
  columns->setHandleWidth(1);
  auto* schedules = makeScheduleList(workspace);
  // Makes the shortcuts work even if the list is folded away.
  addActions(schedules->actions());
  columns->addWidget(schedules);
  columns->addWidget(m_stack);
  columns->addWidget(new Inspector(workspace));
  columns->setStretchFactor(1, 1);
  columns->setSizes({228, 932, 280});
  for (int i = 0; i < columns->count(); ++i) columns->setCollapsible(i, i != 1);

  auto* body = makePane(
      makeColumn({makeHeader(), new WayBar(workspace), {columns, 1}, new TimeStrip(workspace)},
                 {0, 0, 0, 0}, 0));
  setCentralWidget(body);

  for (Page* page : makePages(workspace)) addPage(page);
  connect(m_tabs, &QTabBar::currentChanged, m_stack, &QStackedWidget::setCurrentIndex);
  connect(m_tabs, &QTabBar::tabBarClicked, this, &MainWindow::showPageAt);
  connect(&workspace.problems(), &ProblemModel::problemChanged, this, &MainWindow::refreshTitle);
  // The devices of this machine may be known only then.
  connect(&workspace.problems(), &ProblemModel::catalogChanged, this, &MainWindow::refreshTitle);
  connect(&workspace.schedule(), &ScheduleModel::refused, this,
          [this](const QString& why) { statusBar()->showMessage(why, 15'000); });
  const auto tell = [this](const QString& sentence) {
    logger("gui").warn("{}", sentence.toStdString());
    statusBar()->showMessage(sentence, 15'000);
  };
  connect(&workspace.shelf(), &ScheduleShelf::told, this, tell);
  connect(&workspace.energyText(), &EnergyText::told, this, tell);
  connect(&workspace.space(), &SpaceModel::told, this, tell);
  connect(&workspace.energyText(), &EnergyText::unsavedChanged, this,
          &MainWindow::setWindowModified);
  onThemeChange(*this, [this] { m_workspace.inspector().refresh(); });
  workspace.setGuard([this](std::function<void()> proceed) { askToLeave(std::move(proceed)); });
  makeSearchBox(workspace, *this);
  makeActions();
  // These work while the bar is hidden, too.
  addActions(m_measureBar->actions());
  statusBar()->addWidget(m_measureBar, 1);
  makeLogButton();
  refreshTitle();
}

void MainWindow::makeLogButton() {
  auto* button = toolButton("showLog", {},
                            tr("The log, with the number of warnings that were not read (Ctrl+L)"));
  button->setAutoRaise(true);
  LogModel& log = m_workspace.log();
  const auto setCount = [button](int count) {
    button->setText(count == 0 ? tr("log") : tr("log (%1)").arg(count));
    // setText() of a button removes its shortcut.
    button->setShortcut(QKeySequence(tr("Ctrl+L")));
  };
  setCount(log.unreadCount());
  connect(&log, &LogModel::unreadChanged, button, setCount);
  connect(button, &QToolButton::clicked, this, [this] { showLog(m_workspace.log(), this); });
  statusBar()->addPermanentWidget(button);
  statusBar()->setSizeGripEnabled(false);
}

QWidget* MainWindow::makeHeader() {
  auto* theme = toolButton("themeButton", QStringLiteral("◐"), tr("Light or dark (Ctrl+T)"));
  theme->setAutoRaise(true);
  theme->setAccessibleName(tr("Light or dark"));
  connect(theme, &QToolButton::clicked, this, &MainWindow::toggleTheme);
  auto* measure = named(new QToolButton, "measureThis");
  measure->setAutoRaise(true);
  measure->setDefaultAction(m_measureBar->actions().front());
  return makePane(makeRow({m_tabs, Cell::gap(), m_title, measure, theme}, {4, 0, 12, 0}));
}

void MainWindow::addPage(Page* page) {
  m_pages.push_back(page);
  m_stack->addWidget(page);
  const int index = m_tabs->addTab(page->title());
  m_tabs->setTabToolTip(index, tr("%1 (Ctrl+%2)").arg(page->title()).arg(index + 1));
  makeAction(page->title(), tr("Ctrl+%1").arg(index + 1), [this, index] { showPageAt(index); });
  connect(page, &Page::pageAsked, this, &MainWindow::showPage);
}

QAction* MainWindow::makeAction(const QString& text, const QKeySequence& key,
                                std::function<void()> run) {
  auto* action = new QAction(text, this);
  action->setShortcut(key);
  connect(action, &QAction::triggered, this, std::move(run));
  addAction(action);
  return action;
}

void MainWindow::makeActions() {
  QUndoGroup& undo = m_workspace.schedule().history();
  QAction* back = undo.createUndoAction(this);
  back->setShortcut(QKeySequence::Undo);
  QAction* forth = undo.createRedoAction(this);
  forth->setShortcut(QKeySequence::Redo);
  addAction(back);
  addAction(forth);
  makeAction(tr("Light or dark"), tr("Ctrl+T"), [this] { toggleTheme(); });
  makeAction(tr("Quit"), tr("Ctrl+Q"), [this] { close(); });
  QAction* tour = makeAction(tr("Tour: five hints"), tr("F1"), [this] { m_tour->start(); });
  m_workspace.addSearchEntries([tour]() -> std::vector<SearchEntry> {
    return {{tr("action"), tour->text(), tr("F1"), [tour] { tour->trigger(); }}};
  });
  // Ctrl+O and Ctrl+S are used for energies, on the problem page.
  makeAction(tr("Open a session …"), tr("Ctrl+Shift+O"), [this] { chooseSession(false); });
  makeAction(tr("Save the session …"), tr("Ctrl+Shift+S"), [this] { chooseSession(true); });
}

void MainWindow::chooseSession(bool isToSave) {
  const QString filter = tr("Sessions (*.thallo-session)");
  if (isToSave) {
    QString file = QFileDialog::getSaveFileName(this, tr("Save the session"), {}, filter);
    if (file.isEmpty()) return;
    if (!file.contains('.')) file += QStringLiteral(".thallo-session");
    saveSession(file);
    return;
  }
  const QString file = QFileDialog::getOpenFileName(this, tr("Open a session"), {}, filter);
  if (!file.isEmpty()) openSession(file);
}

bool MainWindow::saveSession(const QString& file) {
  SessionData session = m_workspace.session();
  session.page = currentPage().id();
  const auto written = writeSession(file, session);
  if (!written) QMessageBox::warning(this, tr("The session was not saved"), toQt(written.error()));
  return written.has_value();
}

bool MainWindow::openSession(const QString& file) {
  const auto session = readSession(file);
  if (!session) {
    QMessageBox::warning(this, tr("The session was not opened"), toQt(session.error()));
    return false;
  }
  m_workspace.restore(*session, [this, page = session->page] { showPage(page); });
  return true;
}

bool MainWindow::showPage(const QString& id) {
  const auto page = std::ranges::find(m_pages, id, &Page::id);
  if (page == m_pages.end()) return false;
  showPageAt(static_cast<int>(page - m_pages.begin()));
  return true;
}

void MainWindow::showPageAt(int index) {
  m_tabs->setCurrentIndex(index);
  // Keys are of the page then, and no longer of the tabs.
  QWidget* page = m_stack->currentWidget();
  if (page->focusProxy() != nullptr) page->setFocus();
}

bool MainWindow::isSettled() const {
  const ScheduleModel& schedule = m_workspace.schedule();
  if (m_workspace.problems().catalog().state == RemoteState::Busy) return false;
  if (ShownRefresh::isUnderWay(*this)) return false;
  if (m_workspace.problems().problem().state == RemoteState::Empty) return true;
  return m_workspace.problems().problem().isReady() && schedule.schedule().isReady() &&
         schedule.sites().isReady() && !m_workspace.analysisRunner().isBusy("weights");
}

void MainWindow::toggleTheme() {
  setTheme(currentTheme() == Theme::Light ? Theme::Dark : Theme::Light);
  QSettings().setValue("theme", currentTheme() == Theme::Dark ? "dark" : "light");
}

void MainWindow::askToLeave(std::function<void()> proceed) {
  askToStop(m_workspace, this, [this, proceed = std::move(proceed)] {
    askToSave(m_workspace.energyText(), this, proceed);
  });
}

void MainWindow::closeEvent(QCloseEvent* event) {
  m_workspace.handOver();
  // Without a question, the answer is there before askToLeave() returns.
  m_isClosing = true;
  if (!m_mayClose) {
    askToLeave([this] {
      m_mayClose = true;
      if (!m_isClosing) close();
    });
  }
  m_isClosing = false;
  if (std::exchange(m_mayClose, false)) return QMainWindow::closeEvent(event);
  event->ignore();
}

void MainWindow::refreshTitle() {
  const auto& problem = m_workspace.problems().problem();
  QString title = m_workspace.problems().request().problem;
  if (problem.value) {
    if (!problem.value->instance.isEmpty())
      title += QStringLiteral(" · ") + problem.value->instance;
    title += QStringLiteral(" · ") + m_workspace.problems().deviceName();
  }
  m_title->setText(title);
  // Qt replaces "[*]" by a star while an energy is not saved.
  setWindowTitle(title.isEmpty() ? tr("Thallo Explorer")
                                 : tr("%1[*] — Thallo Explorer").arg(title));
}

}  // namespace thallo::gui
