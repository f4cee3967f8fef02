#include "gui/space/view/ablation_dialog.h"

#include <algorithm>
#include <cmath>

#include <QDialogButtonBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QVBoxLayout>

#include "gui/base/text.h"
#include "gui/widgets/theme.h"

namespace thallo::gui {
namespace {

constexpr QSize AblationSize(820, 520);
constexpr int SwitchColumns = 3;
constexpr int SwitchesAtFirst = 2;

QStringList switchesOf(const NamedPart& search) {
  QStringList names;
  for (const OptionField& field : search.options)
    if (field.type == OptionField::Type::Bool) names.append(field.name);
  return names;
}

const NamedPart* findSearch(Workspace& workspace, const QString& name) {
  const auto& catalog = workspace.problems().catalog().value;
  if (!catalog) return nullptr;
  const auto found = std::ranges::find(catalog->searches, name, &NamedPart::name);
  return found == catalog->searches.end() ? nullptr : &*found;
}

QTableWidgetItem* cellOf(const QString& text, bool isNumber = true) {
  auto* cell = new QTableWidgetItem(text);
  cell->setTextAlignment((isNumber ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
  return cell;
}

}  // namespace

AblationDialog* AblationDialog::show(Workspace& workspace, QWidget* parent) {
  auto* dialog = parent->findChild<AblationDialog*>();
  if (dialog == nullptr) dialog = new AblationDialog(workspace, parent);
  dialog->QDialog::show();
  dialog->raise();
  return dialog;
}

AblationDialog::AblationDialog(Workspace& workspace, QWidget* parent)
    : QDialog(parent),
      m_workspace(workspace),
      m_search(new QComboBox),
      m_seconds(new QSpinBox),
      m_run(new QPushButton(tr("Run"))),
      m_stop(new QPushButton(tr("Stop"))),
      m_grid(new QGridLayout),
      m_note(new QLabel),
      m_table(new QTableWidget) {
  setObjectName("ablationDialog");
  setWindowTitle(tr("What the switches of a search buy"));
  resize(AblationSize);
  auto* doc = new QLabel(
      tr("Runs the search once for every combination of the switches on and off, by predicted "
         "times: nothing is compiled or measured."));
  doc->setWordWrap(true);
  m_note->setObjectName("ablationNote");
  m_note->setWordWrap(true);
  m_table->setObjectName("ablationTable");
  m_table->setAccessibleName(tr("Runs with switches on and off"));
  m_table->verticalHeader()->hide();
  m_table->setShowGrid(false);
  m_table->setEditTriggers(QAbstractItemView::NoEditTriggers);
  m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
  m_table->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  auto* layout = new QVBoxLayout(this);
  layout->setSpacing(10);
  layout->addWidget(doc);
  layout->addWidget(makeForm());
  layout->addLayout(m_grid);
  layout->addWidget(m_note);
  layout->addWidget(m_table, 1);
  layout->addWidget(buttons);
  connect(&workspace.space().ablation(), &AblationModel::changed, this,
          &AblationDialog::refreshRun);
  connect(&workspace.space().exploration(), &ExplorationModel::changed, this,
          &AblationDialog::refreshRun);
  refreshSearches();
  refreshSwitches();
  connect(m_search, &QComboBox::currentTextChanged, this, &AblationDialog::refreshSwitches);
}

QWidget* AblationDialog::makeForm() {
  m_search->setObjectName("ablationSearch");
  m_search->setAccessibleName(tr("Search"));
  m_search->setToolTip(tr("The searches that have options which are on or off"));
  m_seconds->setObjectName("ablationSeconds");
  m_seconds->setAccessibleName(tr("Seconds of a run"));
  m_seconds->setToolTip(tr("A run ends after this time with what it has found"));
  m_seconds->setRange(1, 3600);
  m_seconds->setValue(AblationTask().secondsOfARun);
  m_seconds->setSuffix(tr(" s"));
  connect(m_seconds, &QSpinBox::valueChanged, this, &AblationDialog::refreshRun);
  m_run->setObjectName("ablationRun");
  m_run->setDefault(true);
  connect(m_run, &QPushButton::clicked, this, &AblationDialog::run);
  m_stop->setObjectName("ablationStop");
  m_stop->setToolTip(tr("Ends it; the runs that were finished are shown"));
  connect(m_stop, &QPushButton::clicked, this, [this] { m_workspace.space().ablation().stop(); });
  auto* form = new QWidget;
  auto* row = new QHBoxLayout(form);
  row->setContentsMargins(0, 0, 0, 0);
  row->addWidget(m_search);
  row->addWidget(new QLabel(tr("each run at most")));
  row->addWidget(m_seconds);
  row->addStretch();
  row->addWidget(m_run);
  row->addWidget(m_stop);
  return form;
}

void AblationDialog::refreshSearches() {
  const auto& catalog = m_workspace.problems().catalog().value;
  if (!catalog) return;
  for (const NamedPart& search : catalog->searches)
    if (!switchesOf(search).isEmpty()) m_search->addItem(search.name);
  const auto& table = m_workspace.space().ablation().table().value;
  // Others may need measured times, which there are none of here.
  m_search->setCurrentText(table ? table->search : QStringLiteral("beam"));
}

// The switches of the table that is shown are on; of a search without one, the first ones.
void AblationDialog::refreshSwitches() {
  for (QCheckBox* box : m_switches) delete box;
  m_switches.clear();
  const NamedPart* search = findSearch(m_workspace, m_search->currentText());
  const auto& table = m_workspace.space().ablation().table().value;
  if (search != nullptr) {
    for (const OptionField& field : search->options) {
      if (field.type != OptionField::Type::Bool) continue;
      const int number = static_cast<int>(m_switches.size());
      auto* box = new QCheckBox(field.name);
      box->setObjectName("switch_" + field.name);
      box->setToolTip(field.doc);
      box->setChecked(table && table->search == search->name ? table->switches.contains(field.name)
                                                             : number < SwitchesAtFirst);
      connect(box, &QCheckBox::toggled, this, &AblationDialog::refreshRun);
      m_grid->addWidget(box, number / SwitchColumns, number % SwitchColumns);
      m_switches.push_back(box);
    }
  }
  refreshRun();
}

QStringList AblationDialog::chosen() const {
  QStringList names;
  for (const QCheckBox* box : m_switches)
    if (box->isChecked()) names.append(box->text());
  return names;
}

void AblationDialog::run() {
  m_workspace.space().ablate({.search = m_search->currentText(),
                              .switches = chosen(),
                              .secondsOfARun = m_seconds->value()});
}

// What is going on, or what `Run` would do.
QString AblationDialog::noteText(int numSwitches) const {
  const AblationModel& model = m_workspace.space().ablation();
  if (model.isRunning())
    return tr("Run %1 of %2 …")
        .arg(std::min(model.numDone() + 1, model.numAsked()))
        .arg(model.numAsked());
  if (m_workspace.space().exploration().isRunning())
    return tr(
        "An exploration is under way: this would disturb what it measures. Wait until it has "
        "ended.");
  if (numSwitches == 0) return tr("Choose the switches that are turned on and off.");
  if (numSwitches > static_cast<int>(MostSwitches))
    return tr("Choose %1 switches at most: the number of runs doubles with each.")
        .arg(MostSwitches);
  const int numRuns = 1 << numSwitches;
  QString note = tr("%1 runs, %2 s at most.").arg(numRuns).arg(numRuns * m_seconds->value());
  if (model.table().state == RemoteState::Failed) note = model.table().error;
  const auto& table = model.table().value;
  if (model.table().isReady() && table->found.rows.size() < table->numAsked)
    note = tr("Stopped after %1 of %2 runs. ").arg(table->found.rows.size()).arg(table->numAsked) +
           note;
  return note;
}

void AblationDialog::refreshRun() {
  const SpaceModel& space = m_workspace.space();
  const AblationModel& model = space.ablation();
  const auto numSwitches = static_cast<int>(chosen().size());
  m_run->setEnabled(!model.isRunning() && !space.exploration().isRunning() && numSwitches > 0 &&
                    numSwitches <= static_cast<int>(MostSwitches));
  m_stop->setEnabled(model.isRunning());
  m_note->setText(noteText(numSwitches));
  m_note->setForegroundRole(model.table().state == RemoteState::Failed ? FaultRole
                                                                       : QPalette::WindowText);
  const auto& table = model.table().value;
  if (table) showTable(*table);
}

void AblationDialog::showTable(const AblationTable& table) {
  const std::vector<AblationRow>& rows = table.found.rows;
  QStringList titles =
      table.switches + QStringList{tr("chosen"), tr("off the best"), tr("seconds"), QString()};
  if (!rows.empty())
    for (const SearchFigure& figure : rows.front().figures) titles.append(toQt(figure.name));
  m_table->setColumnCount(static_cast<int>(titles.size()));
  m_table->setHorizontalHeaderLabels(titles);
  m_table->setRowCount(static_cast<int>(rows.size()));
  const double best = table.found.best();
  for (int at = 0; at < m_table->rowCount(); ++at) {
    const AblationRow& row = rows[static_cast<std::size_t>(at)];
    int column = 0;
    const auto add = [&](const QString& text, bool isNumber = true) {
      m_table->setItem(at, column++, cellOf(text, isNumber));
    };
    for (const auto& [name, isOn] : row.switches) add(isOn ? tr("on") : tr("off"), false);
    const bool hasBest = std::isfinite(row.best);
    add(hasBest ? timeText(row.best, false) : "-");
    add(hasBest ? significant(100 * (row.best / best - 1)) + " %" : QString("-"));
    add(secondsText(row.searched));
    add(row.has_ended ? QString() : tr("its time was up"), false);
    for (const SearchFigure& figure : row.figures) add(toQt(figure_text(figure)));
  }
}

}  // namespace thallo::gui
