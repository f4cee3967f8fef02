#include "gui/problem/view/problem_page.h"

#include <algorithm>

#include <QDragEnterEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QMimeData>
#include <QShortcut>

#include "gui/base/text.h"
#include "gui/problem/energy_draft.h"
#include "gui/problem/view/new_energy_dialog.h"
#include "gui/problem/view/plugin_dialog.h"
#include "gui/problem/view/start_view.h"
#include "gui/problem/view/unsaved_energy.h"
#include "gui/widgets/layouts.h"
#include "gui/widgets/theme.h"

namespace thallo::gui {

ProblemPage::ProblemPage(Workspace& workspace)
    : Page(workspace, "problem", tr("Problem")),
      m_problems(new ProblemList(this)),
      m_filter(new ProblemFilter(this)),
      m_search(named(new QLineEdit, "problemSearch", tr("Search problems"))),
      m_gallery(new ProblemGallery),
      m_right(new QStackedWidget),
      m_start(makeStartView(workspace, {[this](const QString& page) { Q_EMIT pageAsked(page); },
                                        [this] { askForFile(); }, [this] { askForNewEnergy(); }})),
      m_details(new ProblemDetails(workspace)),
      m_find(*m_gallery, [this] { selectFirstCard(); }) {
  setAcceptDrops(true);
  m_filter->setSourceModel(m_problems);
  m_gallery->setModel(m_filter);
  m_right->addWidget(m_start);
  m_right->addWidget(m_details);
  auto* columns = makeSplitter(Qt::Horizontal, {m_gallery, m_right}, {476, 484});
  columns->setStretchFactor(0, 1);
  columns->setStretchFactor(1, 1);
  setContent(makePane(makeColumn({makeBar(), {columns, 1}}, {0, 0, 0, 0}, 4)));
  connectGallery();
  workspace.addSearchEntries([this]() -> std::vector<SearchEntry> {
    return {{tr("action"), tr("Start: three ways to begin"), {}, [this] {
               Q_EMIT pageAsked(id());
               showStart();
             }}};
  });
  connect(&workspace.problems(), &ProblemModel::catalogChanged, this, &ProblemPage::refreshCatalog);
  connect(&workspace.problems(), &ProblemModel::problemChanged, this, &ProblemPage::refreshProblem);
  setAction(tr("Try again"), [this] { this->workspace().problems().rescan(); });
  refreshCatalog();
  refreshProblem();
}

QWidget* ProblemPage::makeBar() {
  m_search->setPlaceholderText(tr("Search problems: mesh, robust, Levin …  (Ctrl+F)"));
  m_search->setClearButtonEnabled(true);
  connect(m_search, &QLineEdit::textChanged, this, [this](const QString& text) {
    m_filter->setSearch(text);
    // Selects the card that the return key will open, so that the user sees it first.
    if (!text.isEmpty()) m_find.askSoon();
  });
  connect(m_search, &QLineEdit::returnPressed, this, [this] {
    m_find.hurry();
    if (m_gallery->currentIndex().isValid()) m_details->open();
  });
  connect(new QShortcut(QKeySequence::Find, this), &QShortcut::activated, m_search,
          qOverload<>(&QWidget::setFocus));
  auto* start = toolButton("showStart", tr("Start"),
                           tr("The three ways to begin, and what was opened last (Alt+Home)"));
  start->setShortcut(QKeySequence(tr("Alt+Home")));
  connect(start, &QToolButton::clicked, this, &ProblemPage::showStart);
  auto* open = toolButton("openEnergy", tr("Open an energy …"),
                          tr("An energy of your own or a problem file (.toml); or drop one here"));
  open->setShortcut(QKeySequence::Open);
  connect(open, &QToolButton::clicked, this, &ProblemPage::askForFile);
  auto* begin = toolButton("newEnergyButton", tr("New energy …"),
                           tr("A text to start from; `thallo new` makes the files of plugins"));
  connect(begin, &QToolButton::clicked, this, &ProblemPage::askForNewEnergy);
  m_plugins = toolButton("showPlugins", {},
                         tr("Every plugin and problem file that was found, and why some failed"));
  connect(m_plugins, &QToolButton::clicked, this, [this] { showPlugins(workspace(), window()); });
  return makePane(makeRow({{m_search, 1}, start, open, begin, m_plugins}, {8, 6, 12, 2}));
}

void ProblemPage::connectGallery() {
  connect(m_gallery->selectionModel(), &QItemSelectionModel::currentChanged, this,
          [this](const QModelIndex& card) {
            if (card.isValid()) showDetails(card.data(ProblemList::NameRole).toString());
          });
  connect(m_gallery, &QListView::activated, m_details, &ProblemDetails::open);
}

void ProblemPage::showDetails(const QString& problem) {
  m_details->setProblem(problem);
  m_right->setCurrentWidget(m_details);
}

void ProblemPage::showStart() {
  m_gallery->setCurrentIndex({});
  m_right->setCurrentWidget(m_start);
}

void ProblemPage::refreshCatalog() {
  const auto& catalog = workspace().problems().catalog();
  follow(catalog, tr("No plugin was loaded yet."), tr("Loading plugins …"));
  const QString selected = m_gallery->currentIndex().data(ProblemList::NameRole).toString();
  m_problems->setCatalog(catalog.value);
  selectCard(selected);
  const int failed = catalog.value ? catalog.value->numFailed() : 0;
  const auto all = catalog.value ? catalog.value->plugins.size() : 0;
  m_plugins->setText(failed == 0 ? tr("Plugins (%1)").arg(all)
                                 : tr("Plugins (%1, %2 failed)").arg(all).arg(failed));
}

void ProblemPage::refreshProblem() {
  const ProblemModel& problems = workspace().problems();
  if (problems.problem().state == RemoteState::Empty) return;
  // Includes a problem without a card, so that its fault is visible.
  selectCard(problems.request().problem);
  showDetails(problems.request().problem);
}

bool ProblemPage::isSettled() const {
  return Page::isSettled() && m_gallery->hasPictures() &&
         workspace().problems().problem().state != RemoteState::Busy;
}

void ProblemPage::selectCard(const QString& name) {
  const QModelIndex card = m_filter->find(name);
  if (!card.isValid() || card == m_gallery->currentIndex()) return;
  m_gallery->setCurrentIndex(card);
  m_gallery->scrollTo(card);
}

void ProblemPage::selectFirstCard() {
  const QModelIndex first = m_filter->index(0, 0);
  m_gallery->setCurrentIndex(first);
  if (first.isValid()) m_gallery->scrollTo(first);
}

// Returns the suffixes of energy texts and of problem files.
QStringList ProblemPage::fileSuffixes() {
  const auto& catalog = workspace().problems().catalog().value;
  QStringList suffixes = catalog ? catalog->energySuffixes : QStringList();
  suffixes.append(QStringLiteral(".toml"));
  return suffixes;
}

void ProblemPage::askForFile() {
  auto* dialog = new QFileDialog(this, tr("Open an energy"));
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setFileMode(QFileDialog::ExistingFile);
  QStringList patterns;
  for (const QString& suffix : fileSuffixes()) patterns.append('*' + suffix);
  dialog->setNameFilter(tr("Energies and problem files (%1)").arg(patterns.join(' ')));
  connect(dialog, &QFileDialog::fileSelected, this, &ProblemPage::openFile);
  dialog->open();
}

void ProblemPage::askForNewEnergy() {
  const auto& catalog = workspace().problems().catalog().value;
  if (!catalog || catalog->energySuffixes.isEmpty()) return;
  askForEnergyFile(this, tr("Where to write the new energy"),
                   "my_energy" + catalog->energySuffixes.front(), [this](const QString& file) {
                     showWrittenEnergy(workspace(), file, writeEnergyToStartFrom(file), window());
                   });
}

void ProblemPage::openFile(const QString& file) {
  const QFileInfo info(file);
  const QFileInfo beside(info.dir(), info.completeBaseName() + ".toml");
  if (info.suffix() == QLatin1String("toml") || beside.exists())
    return workspace().openFile(beside.filePath());
  showNewEnergy(workspace(), file, window());
}

void ProblemPage::dragEnterEvent(QDragEnterEvent* event) {
  const QList<QUrl> urls = event->mimeData()->urls();
  if (urls.size() != 1) return;
  const QString file = urls.front().toLocalFile();
  if (std::ranges::any_of(fileSuffixes(), [&](const QString& s) { return file.endsWith(s); }))
    event->acceptProposedAction();
}

void ProblemPage::dropEvent(QDropEvent* event) {
  event->acceptProposedAction();
  openFile(event->mimeData()->urls().front().toLocalFile());
}

}  // namespace thallo::gui
