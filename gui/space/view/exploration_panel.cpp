#include "gui/space/view/exploration_panel.h"

#include <cmath>

#include <QFileDialog>
#include <QFileInfo>

#include "gui/base/text.h"
#include "gui/space/view/search_options_dialog.h"
#include "gui/widgets/elided.h"
#include "gui/widgets/labels.h"
#include "gui/widgets/layouts.h"
#include "gui/widgets/theme.h"
#include "gui/workspace/view/pins_button.h"
#include "gui/workspace/view/running_work.h"

namespace thallo::gui {
namespace {

// "about 2 min left"
QString leftText(double seconds) {
  if (seconds < 90) return ExplorationPanel::tr("%1 s left").arg(std::ceil(seconds));
  if (seconds < 5400) return ExplorationPanel::tr("%1 min left").arg(std::round(seconds / 60));
  return ExplorationPanel::tr("%1 h left").arg(significant(seconds / 3600, 2));
}

QComboBox* panelChoices(const QString& name, const QString& title, const QString& toolTip,
                        const QStringList& items) {
  auto* combo = named(new QComboBox, name, title);
  combo->setToolTip(toolTip);
  combo->addItems(items);
  return combo;
}

QSpinBox* panelNumber(const QString& name, const QString& title, const QString& toolTip, int least,
                      int most, const QString& ofLeast = {}) {
  auto* spin = named(new QSpinBox, name, title);
  spin->setToolTip(toolTip);
  spin->setRange(least, most);
  spin->setSpecialValueText(ofLeast);
  return spin;
}

}  // namespace

// Shows the store of the space page's measurements, their device, and the number of schedules.
class StoreRow final : public QWidget {
 public:
  explicit StoreRow(Workspace& workspace)
      : m_workspace(workspace),
        m_store(named(new QLabel, "storeName")),
        m_devices(named(new QComboBox, "storeDevices", tr("Device"))),
        m_lookThere(named(new QPushButton, "lookAtMeasuredDevice")),
        m_counts(named(new ElidedLabel, "spaceCounts")) {
    auto* open = named(new QPushButton(tr("Open a store …")), "openStore");
    open->setToolTip(
        tr("A file with measurements, of `thallo explore` or of this app; of a GPU that is "
           "elsewhere, too"));
    connect(open, &QPushButton::clicked, this, &StoreRow::openStore);
    m_devices->setToolTip(tr("The store has results of several devices, which stay apart"));
    m_devices->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    connect(m_devices, &QComboBox::activated, this, [this](int index) {
      m_workspace.space().showDevice(m_devices->itemData(index).toString());
    });
    m_counts->setForegroundRole(QPalette::PlaceholderText);
    m_counts->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    m_lookThere->setToolTip(
        tr("Opens the problem again with predicted times of the device that was measured"));
    connect(m_lookThere, &QPushButton::clicked, this, [this] {
      if (const DeviceChoice* device = findMeasured()) m_workspace.lookOn(QString(device->id));
    });
    setLayout(makeRow(
        {m_store, open, m_devices, m_lookThere, {m_counts, 1}, new PinsButton(workspace.pins())},
        {0, 0, 0, 0}, 6));
    SpaceModel& space = workspace.space();
    connect(&space, &SpaceModel::spaceChanged, this, &StoreRow::refreshStore);
    connect(&space, &SpaceModel::countsChanged, this, &StoreRow::refreshCounts);
    refreshStore();
    refreshCounts();
  }

  // Asks for a file and opens it.
  void openStore() {
    const QString file = QFileDialog::getOpenFileName(
        this, tr("Open a store"), QFileInfo(m_workspace.space().store()).path(),
        tr("Measurement stores (*.store);;All files (*)"));
    if (file.isEmpty()) return;
    SpaceModel& space = m_workspace.space();
    askToStopMeasuring(space, window(), [&space, file] { space.openStore(file); });
  }

 private:
  void refreshStore() {
    const SpaceModel& model = m_workspace.space();
    m_store->setText(QFileInfo(model.store()).fileName());
    m_store->setToolTip(tr("Measurements are kept in %1").arg(model.store()));
    const auto& space = model.space().value;
    m_devices->setVisible(space && space->devices.size() > 1);
    m_lookThere->setVisible(!model.isOfProblemsDevice() && findMeasured() != nullptr);
    if (!space) return;
    m_lookThere->setText(tr("Look at it on %1").arg(space->device.name));
    m_devices->clear();
    for (const SpaceDevice& device : space->devices) {
      m_devices->addItem(device.name, device.signature);
      if (device == space->device) m_devices->setCurrentIndex(m_devices->count() - 1);
    }
  }

  void refreshCounts() {
    const auto& counts = m_workspace.space().counts();
    if (counts.state == RemoteState::Busy) return m_counts->setText(tr("counting schedules …"));
    if (counts.state == RemoteState::Failed) {
      m_counts->setText(tr("not counted"));
      return m_counts->setToolTip(counts.error);
    }
    if (!counts.value) return m_counts->clear();
    QString text = tr("%1 schedules").arg(counts.value->total);
    QString details;
    QStringList factors;
    for (const SpaceCounts::Stage& stage : counts.value->stages) {
      factors.append(tr("%1 of %2").arg(stage.count, stage.name));
      details += stage.name + ": " + stage.count + '\n';
      for (const SpaceCounts::Site& site : stage.sites)
        details += "    " + site.name + "  " + site.count + '\n';
    }
    if (factors.size() > 1) text += " = " + factors.join(QStringLiteral(" × "));
    m_counts->setText(text);
    const QString& note = counts.value->note;
    m_counts->setToolTip(text + '\n' + (note.isEmpty() ? details.trimmed() : note));
  }

  // Returns the device that was measured, if the problem can be viewed on it; else null.
  const DeviceChoice* findMeasured() const {
    const auto& catalog = m_workspace.problems().catalog().value;
    const auto& space = m_workspace.space().space().value;
    if (!catalog || !space) return nullptr;
    return catalog->findDevice(
        [&](const DeviceChoice& device) { return device.name == space->device.name; });
  }

  Workspace& m_workspace;
  QLabel* m_store;
  QComboBox* m_devices;
  QPushButton* m_lookThere;
  QLabel* m_counts;
};

ExplorationPanel::ExplorationPanel(Workspace& workspace)
    : m_workspace(workspace), m_storeRow(new StoreRow(workspace)), m_stack(new QStackedWidget) {
  setObjectName("explorationPanel");
  // In a narrow window, the right part is cut off.
  m_stack->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
  m_stack->addWidget(makeForm());
  m_stack->addWidget(makeProgress());
  m_fault = new QWidget;
  m_faultText = named(wrappedLabel(), "explorationFault");
  m_toCpu = named(new QPushButton(tr("Explore on the CPU instead")), "switchToCpu");
  m_toCpu->setToolTip(tr("Opens the problem again, with times of the processor of this machine"));
  m_fault->setLayout(makeRow({{m_faultText, 1}, m_toCpu}, {0, 0, 0, 0}, 6));
  setLayout(makeColumn({m_storeRow, m_stack, m_fault}, {12, 8, 12, 4}, 6));
  connect(m_toCpu, &QPushButton::clicked, this, [this] {
    if (const DeviceChoice* cpu = findCpu()) m_workspace.lookOn(QString(cpu->id));
  });
  SpaceModel& space = workspace.space();
  connect(&space, &SpaceModel::spaceChanged, this, &ExplorationPanel::refreshShown);
  connect(&space.exploration(), &ExplorationModel::changed, this,
          &ExplorationPanel::refreshExploration);
  connect(&workspace.problems(), &ProblemModel::catalogChanged, this,
          &ExplorationPanel::refreshSearches);
  refreshSearches();
  refreshShown();
  refreshExploration();
}

QWidget* ExplorationPanel::makeForm() {
  const ExplorationSettings defaults;
  m_search = panelChoices("exploreSearch", tr("Search"), {}, {});
  m_search->setSizeAdjustPolicy(QComboBox::AdjustToContents);
  m_samples =
      panelNumber("exploreSamples", tr("Schedules"), tr("How many schedules to draw"), 1, 100'000);
  m_samples->setValue(static_cast<int>(defaults.samples));
  m_samples->setSingleStep(100);
  m_space =
      panelChoices("exploreSpace", tr("Space"),
                   tr("full: all schedules. published: those that the published system enumerates"),
                   explorationSpaces());
  m_objective =
      panelChoices("exploreObjective", tr("Objective"),
                   tr("What is fastest: the least time of a nonlinear iteration, or until the cost "
                      "is within 1 % or 0.1 % of the lowest"),
                   explorationObjectives());
  m_budget = panelNumber("exploreBudget", tr("Budget"), tr("The exploration ends after this time"),
                         0, 10'000, tr("no limit"));
  m_budget->setSuffix(tr(" min"));
  m_budget->setValue(defaults.budgetMinutes);
  m_workers = panelNumber(
      "exploreWorkers", tr("Workers"),
      tr("Processes that compile schedules side by side. A GPU measures meanwhile; on the "
         "CPU, measuring waits until they rest"),
      0, 256, tr("all"));
  m_explore = named(new QPushButton(tr("Explore")), "exploreButton");
  m_explore->setToolTip(tr("Compiles and measures schedules; what is measured stays in the store"));
  connect(m_explore, &QPushButton::clicked, this, &ExplorationPanel::explore);
  m_options = named(new QToolButton, "searchOptions", tr("Options of the search"));
  connect(m_options, &QToolButton::clicked, this, &ExplorationPanel::askForOptions);
  connect(m_search, &QComboBox::currentTextChanged, this, &ExplorationPanel::refreshSearch);
  connect(m_space, &QComboBox::currentTextChanged, this,
          [this](const QString& space) { m_workspace.space().count(space); });
  return makePane(makeRow({m_explore, m_search, m_options, m_samples, mutedLabel(tr("of")), m_space,
                           mutedLabel(tr("Objective")), m_objective, mutedLabel(tr("Budget")),
                           m_budget, mutedLabel(tr("Workers")), m_workers, Cell::gap()},
                          {0, 0, 0, 0}, 6));
}

// Those that the catalog has; what was chosen stays chosen.
void ExplorationPanel::refreshSearches() {
  const auto& catalog = m_workspace.problems().catalog().value;
  if (!catalog) return;
  QStringList names, docs, present;
  for (const NamedPart& search : catalog->searches) {
    names.append(search.name);
    docs.append(search.name + ": " + search.doc);
  }
  for (int i = 0; i < m_search->count(); ++i) present.append(m_search->itemText(i));
  if (names == present) return;
  const QString wanted = present.isEmpty() ? ExplorationSettings().search : m_search->currentText();
  m_search->clear();
  m_search->addItems(names);
  m_search->setToolTip(docs.join('\n'));
  m_search->setCurrentText(wanted);
}

const NamedPart* ExplorationPanel::findSearch() const {
  const auto& catalog = m_workspace.problems().catalog().value;
  return catalog ? catalog->findSearch(m_search->currentText()) : nullptr;
}

void ExplorationPanel::refreshSearch() {
  const NamedPart* search = findSearch();
  if (search == nullptr) return;
  m_samples->setEnabled(search->takesSamples);
  const auto set = m_searchOptions.find(search->name);
  const std::size_t count = set != m_searchOptions.end() ? set->second.size() : 0;
  m_options->setText(count == 0 ? tr("…") : tr("%1 …").arg(count));
  m_options->setEnabled(!search->options.empty());
  m_options->setToolTip(
      search->options.empty()
          ? tr("The search %1 has no options").arg(search->name)
          : tr("The options of the search %1, of which %2 are set").arg(search->name).arg(count));
}

void ExplorationPanel::askForOptions() {
  const NamedPart* search = findSearch();
  if (search == nullptr) return;
  auto* dialog = new SearchOptionsDialog(*search, m_searchOptions[search->name], this);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  connect(dialog, &QDialog::accepted, this, [this, dialog, name = search->name] {
    m_searchOptions[name] = dialog->values();
    refreshSearch();
  });
  dialog->open();
}

QWidget* ExplorationPanel::makeProgress() {
  m_progress = named(new QProgressBar, "exploreProgress");
  m_progress->setTextVisible(false);
  m_progress->setFixedHeight(8);
  m_doing = named(new ElidedLabel, "exploreDoing");
  m_doing->setMinimumWidth(320);
  m_pause = named(new QPushButton, "pauseButton");
  m_pause->setToolTip(tr("A paused exploration goes on where it was: nothing is measured twice"));
  connect(m_pause, &QPushButton::clicked, this, [this] {
    ExplorationModel& exploration = m_workspace.space().exploration();
    if (exploration.state() == ExplorationModel::State::Paused)
      exploration.resume();
    else
      exploration.pause();
  });
  m_cancel = named(new QPushButton(tr("Cancel")), "cancelButton");
  m_cancel->setToolTip(tr("Ends the exploration; what was measured stays in the store"));
  connect(m_cancel, &QPushButton::clicked, this,
          [this] { m_workspace.space().exploration().cancel(); });
  return makePane(makeRow({m_pause, m_cancel, {m_doing, 4}, {m_progress, 1}}, {0, 0, 0, 0}, 6));
}

ExplorationSettings ExplorationPanel::settings() const {
  const auto options = m_searchOptions.find(m_search->currentText());
  return {
      .search = m_search->currentText(),
      .searchOptions = options != m_searchOptions.end() ? options->second : OptionForm::Values(),
      .space = m_space->currentText(),
      .samples = m_samples->value(),
      .objective = m_objective->currentText(),
      .budgetMinutes = m_budget->value(),
      .workers = m_workers->value()};
}

const DeviceChoice* ExplorationPanel::findCpu() const {
  const auto& catalog = m_workspace.problems().catalog().value;
  if (!catalog) return nullptr;
  return catalog->findDevice(
      [](const DeviceChoice& device) { return device.isHere() && device.backend == "cpu"; });
}

void ExplorationPanel::openStore() { m_storeRow->openStore(); }

void ExplorationPanel::explore() { m_workspace.space().explore(settings()); }

void ExplorationPanel::refreshShown() { setVisible(m_workspace.problems().problem().isReady()); }

void ExplorationPanel::refreshExploration() {
  using State = ExplorationModel::State;
  ExplorationModel& exploration = m_workspace.space().exploration();
  const State state = exploration.state();
  const bool isUnderWay = exploration.isUnderWay();
  m_stack->setCurrentIndex(isUnderWay ? 1 : 0);
  const bool hasEnded = !isUnderWay && !exploration.ending().isEmpty();
  m_fault->setVisible(state == State::Failed || hasEnded);
  m_toCpu->hide();
  if (hasEnded) m_faultText->setText(exploration.ending());
  if (state == State::Failed) {
    m_faultText->setText(exploration.error());
    const auto& problem = m_workspace.problems().problem().value;
    m_toCpu->setVisible(problem && problem->backend != "cpu" && findCpu() != nullptr);
  }
  m_pause->setText(state == State::Paused ? tr("Resume") : tr("Pause"));
  m_pause->setEnabled(state != State::Pausing);
  showProgress();
}

void ExplorationPanel::showProgress() {
  using State = ExplorationModel::State;
  const ExplorationModel& exploration = m_workspace.space().exploration();
  const ExplorationProgress& progress = exploration.progress();
  QString doing = progress.doing;
  if (progress.total > 0) {
    doing =
        tr("%1: %2 of %3").arg(progress.doing, countText(progress.done), countText(progress.total));
  }
  if (progress.schedulesTotal > 0) {
    doing += tr(" · %1 of %2 schedules")
                 .arg(countText(progress.schedulesDone), countText(progress.schedulesTotal));
  }
  if (progress.secondsLeft) doing += " · " + leftText(*progress.secondsLeft);
  if (!progress.figures.isEmpty()) doing += " · " + progress.figures;
  if (exploration.state() == State::Pausing) doing = tr("pausing …");
  if (exploration.state() == State::Paused) doing = tr("paused; ") + progress.doing;
  m_doing->setText(doing);
  m_doing->setToolTip(doing);
  // Counts in thousandths, because a bar counts in int. Without a total, the bar shows a busy
  // state.
  const auto total = static_cast<double>(progress.schedulesTotal);
  m_progress->setRange(0, total > 0 ? 1000 : 0);
  if (total > 0)
    m_progress->setValue(
        static_cast<int>(1000 * static_cast<double>(progress.schedulesDone) / total));
}

}  // namespace thallo::gui
