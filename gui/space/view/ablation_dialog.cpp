#include "gui/space/view/ablation_dialog.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <QCheckBox>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QGridLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QSpinBox>
#include <QTableWidget>

#include "gui/base/text.h"
#include "gui/widgets/dialogs.h"
#include "gui/widgets/labels.h"
#include "gui/widgets/layouts.h"
#include "gui/widgets/theme.h"
#include "gui/workspace/workspace.h"

namespace thallo::gui {
namespace {

constexpr QSize AblationSize(820, 520);
constexpr int SwitchColumns = 3;
constexpr int SwitchesAtFirst = 2;

QStringList switchesOf(const NamedPart& search) {
  QStringList names;
  for (const OptionSpec& option : search.options)
    if (std::holds_alternative<bool>(option.default_value)) names.append(toQt(option.name));
  return names;
}

QTableWidgetItem* cellOf(const QString& text, bool isNumber = true) {
  auto* cell = new QTableWidgetItem(text);
  cell->setTextAlignment((isNumber ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
  return cell;
}

class AblationDialog final : public QDialog {
 public:
  AblationDialog(Workspace& workspace, QWidget* parent)
      : QDialog(parent),
        m_workspace(workspace),
        m_search(named(new QComboBox, "ablationSearch", tr("Search"))),
        m_seconds(named(new QSpinBox, "ablationSeconds", tr("Seconds of a run"))),
        m_run(named(new QPushButton(tr("Run")), "ablationRun")),
        m_stop(named(new QPushButton(tr("Stop")), "ablationStop")),
        m_grid(new QGridLayout),
        m_note(named(wrappedLabel(), "ablationNote")),
        m_table(named(new QTableWidget, "ablationTable", tr("Runs with switches on and off"))) {
    setWindowTitle(tr("What the switches of a search buy"));
    resize(AblationSize);
    m_search->setToolTip(tr("The searches that have options which are on or off"));
    m_seconds->setToolTip(tr("A run ends after this time with what it has found"));
    m_seconds->setRange(1, 3600);
    m_seconds->setValue(AblationTask().secondsOfARun);
    m_seconds->setSuffix(tr(" s"));
    m_run->setDefault(true);
    m_stop->setToolTip(tr("Ends it; the runs that were finished are shown"));
    showWholeRows(*m_table);
    m_table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_table->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close);
    auto* doc = wrappedLabel(
        tr("Runs the search once for every combination of the switches on and off, by predicted "
           "times: nothing is compiled or measured."));
    auto* form = makeRow(
        {m_search, new QLabel(tr("each run at most")), m_seconds, Cell::gap(), m_run, m_stop},
        {0, 0, 0, 0});
    setLayout(makeColumn({doc, form, m_grid, m_note, {m_table, 1}, buttons}, OwnMargins, 10));
    connect(m_seconds, &QSpinBox::valueChanged, this, &AblationDialog::refreshRun);
    connect(m_run, &QPushButton::clicked, this, &AblationDialog::run);
    connect(m_stop, &QPushButton::clicked, this, [this] { m_workspace.space().ablation().stop(); });
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(&workspace.space().ablation(), &AblationModel::changed, this,
            &AblationDialog::refreshRun);
    connect(&workspace.space().exploration(), &ExplorationModel::changed, this,
            &AblationDialog::refreshRun);
    refreshSearches();
    refreshSwitches();
    connect(m_search, &QComboBox::currentTextChanged, this, &AblationDialog::refreshSwitches);
  }

 private:
  void refreshSearches() {
    const auto& catalog = m_workspace.problems().catalog().value;
    if (!catalog) return;
    for (const NamedPart& search : catalog->searches)
      if (!switchesOf(search).isEmpty()) m_search->addItem(search.name);
    const auto& table = m_workspace.space().ablation().table().value;
    // Others may need measured times, which there are none of here.
    m_search->setCurrentText(table ? table->search : QStringLiteral("beam"));
  }

  // The switches of the table that is shown are on; of a search without one, the first ones.
  void refreshSwitches() {
    for (QCheckBox* box : m_switches) delete box;
    m_switches.clear();
    const auto& catalog = m_workspace.problems().catalog().value;
    const NamedPart* search = catalog ? catalog->findSearch(m_search->currentText()) : nullptr;
    const auto& table = m_workspace.space().ablation().table().value;
    if (search != nullptr) {
      for (const OptionSpec& option : search->options) {
        if (!std::holds_alternative<bool>(option.default_value)) continue;
        const int number = static_cast<int>(m_switches.size());
        const QString name = toQt(option.name);
        auto* box = named(new QCheckBox(name), "switch_" + name);
        box->setToolTip(toQt(option.doc));
        box->setChecked(table && table->search == search->name ? table->switches.contains(name)
                                                               : number < SwitchesAtFirst);
        connect(box, &QCheckBox::toggled, this, &AblationDialog::refreshRun);
        m_grid->addWidget(box, number / SwitchColumns, number % SwitchColumns);
        m_switches.push_back(box);
      }
    }
    refreshRun();
  }

  void refreshRun() {
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

  void showTable(const AblationTable& table) {
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

  QStringList chosen() const {
    QStringList names;
    for (const QCheckBox* box : m_switches)
      if (box->isChecked()) names.append(box->text());
    return names;
  }

  // What is going on, or what `Run` would do.
  QString noteText(int numSwitches) const {
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
      note =
          tr("Stopped after %1 of %2 runs. ").arg(table->found.rows.size()).arg(table->numAsked) +
          note;
    return note;
  }

  void run() {
    m_workspace.space().ablate({.search = m_search->currentText(),
                                .switches = chosen(),
                                .secondsOfARun = m_seconds->value()});
  }

  Workspace& m_workspace;
  QComboBox* m_search;
  QSpinBox* m_seconds;
  QPushButton *m_run, *m_stop;
  QGridLayout* m_grid;
  std::vector<QCheckBox*> m_switches;
  QLabel* m_note;
  QTableWidget* m_table;
};

}  // namespace

QDialog* showAblation(Workspace& workspace, QWidget* parent) {
  return showOnce(parent, "ablationDialog", [&] { return new AblationDialog(workspace, parent); });
}

}  // namespace thallo::gui
