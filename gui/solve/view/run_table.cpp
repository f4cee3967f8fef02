#include "gui/solve/view/run_table.h"

#include <array>

#include <QContextMenuEvent>
#include <QHeaderView>
#include <QKeyEvent>
#include <QMenu>
#include <QPixmap>

#include "gui/base/text.h"
#include "gui/solve/convergence.h"
#include "gui/solve/view/convergence_plot.h"
#include "gui/widgets/layouts.h"

namespace thallo::gui {
namespace {

enum RunColumn {
  Number,
  Name,
  End,
  SolveTime,
  Ratio,
  ToOnePercent,
  ToOnePerMille,
  AgainstPredicted,
  CompileTime,
  LinearIterations,
  Device,
  Ending,
  NumRunColumns
};

struct Heading {
  QString text, toolTip;
};

std::array<Heading, NumRunColumns> headings() {
  const auto tr = [](const char* text) { return QObject::tr(text); };
  return {{
      {tr("run"), tr("A run without its mark is hidden in the diagram, and does not count below.")},
      {tr("name"), tr("The schedule, unless you call the run otherwise (F2)")},
      {tr("cost at the end"), tr("The tool tip of a cost says where the run began.")},
      {tr("solving"), tr("Time of all solves of the run, without compiling and without what the "
                         "problem does before, between and after them")},
      {tr("× of run 1"), tr("The time of solving against that of the first run that is shown")},
      {tr("to 1 %"), tr("Time of solving until 1 % of the way from the start to the lowest cost of "
                        "all shown runs is left")},
      {tr("to 0.1 %"), tr("Time of solving until 0.1 % of the way from the start to the lowest "
                          "cost of all shown runs is left")},
      {tr("× predicted"), tr("The time of solving against what the cost model predicts for as many "
                             "iterations; empty on another device or with solver options")},
      {tr("compiling"),
       tr("Time until the kernels were ready: short where they were compiled before")},
      {tr("linear iterations"), {}},
      {tr("device"), {}},
      {tr("ended because"), {}},
  }};
}

QString timesText(std::optional<double> seconds) {
  return seconds ? secondsText(*seconds) : QStringLiteral("–");
}

}  // namespace

RunTable::RunTable() : QTableWidget(0, NumRunColumns) {
  named(this, "runTable", tr("Runs"));
  const auto heads = headings();
  for (int column = 0; column < NumRunColumns; ++column) {
    const Heading& head = heads[static_cast<std::size_t>(column)];
    auto* item = new QTableWidgetItem(head.text);
    item->setToolTip(head.toolTip);
    setHorizontalHeaderItem(column, item);
  }
  showWholeRows(*this);
  setSelectionMode(QAbstractItemView::SingleSelection);
  setEditTriggers(QAbstractItemView::DoubleClicked | QAbstractItemView::EditKeyPressed);
  horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
  horizontalHeader()->setSectionResizeMode(NumRunColumns - 1, QHeaderView::Stretch);
  horizontalHeader()->setDefaultAlignment(Qt::AlignLeft);
  connect(this, &QTableWidget::itemChanged, this, &RunTable::onChanged);
}

void RunTable::set(int row, int column, const QString& text, const QString& toolTip) {
  auto* item = new QTableWidgetItem(text);
  const bool isText = column == Name || column == Device || column == Ending;
  item->setTextAlignment((isText ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
  item->setToolTip(toolTip.isEmpty() ? text : toolTip);
  if (column != Name) item->setFlags(item->flags() & ~Qt::ItemIsEditable);
  setItem(row, column, item);
}

void RunTable::show(const std::shared_ptr<const SolveSnapshot>& runs) {
  if (state() == QAbstractItemView::EditingState) return;  // the name would be lost
  m_isFilling = true;
  const int numRuns = runs ? static_cast<int>(runs->runs.size()) : 0;
  setRowCount(numRuns);
  const LowestCosts lowest = runs ? lowestCosts(*runs) : LowestCosts();
  const SolveRun* reference = runs ? referenceRun(*runs) : nullptr;
  horizontalHeaderItem(Ratio)->setText(
      tr("× of run %1").arg(reference == nullptr ? 1 : reference->number));
  for (int row = 0; row < numRuns; ++row) {
    const SolveRun& run = runs->runs[static_cast<std::size_t>(row)];
    set(row, Number, QString::number(run.number));
    QPixmap dot(10, 10);
    dot.fill(runColor(run));
    item(row, Number)->setIcon(QIcon(dot));
    item(row, Number)->setData(Qt::UserRole, run.number);
    item(row, Number)->setCheckState(run.isHidden ? Qt::Unchecked : Qt::Checked);
    set(row, Name, run.shownName(), run.schedule);
    set(row, Device, (run.device + ' ' + run.precision).trimmed());
    set(row, Ending,
        run.state == SolveRun::State::Failed    ? run.fault
        : run.state == SolveRun::State::Running ? run.stage
                                                : run.ending);
    if (run.state != SolveRun::State::Finished) {
      for (int column = End; column <= LinearIterations; ++column) set(row, column, {});
      continue;
    }
    set(row, End, significant(run.finalCost, 5),
        tr("from %1 to %2").arg(significant(run.initialCost, 5), significant(run.finalCost, 5)));
    set(row, SolveTime, secondsText(run.solveSeconds));
    const bool isCompared = reference != nullptr && reference->number != run.number;
    set(row, Ratio,
        isCompared ? significant(run.solveSeconds / reference->solveSeconds) : QStringLiteral("1"));
    set(row, ToOnePercent, run.isHidden ? QString() : timesText(secondsTo(run, lowest, 0.01)));
    set(row, ToOnePerMille, run.isHidden ? QString() : timesText(secondsTo(run, lowest, 0.001)));
    const std::optional<double> predicted = run.predictedSeconds();
    set(row, AgainstPredicted, predicted ? significant(run.solveSeconds / *predicted) : QString(),
        predicted ? tr("%1 predicted for %2 nonlinear and %3 linear iterations")
                        .arg(secondsText(*predicted))
                        .arg(run.iterations)
                        .arg(run.linearIterations)
                  : QString());
    set(row, CompileTime, secondsText(run.compileSeconds));
    set(row, LinearIterations, countText(run.linearIterations));
  }
  m_isFilling = false;
  const int newest = numRuns > 0 ? runs->runs.back().number : 0;
  if (newest > m_newest) selectRow(numRuns - 1);
  m_newest = newest;
}

int RunTable::numberAt(int row) const {
  const QTableWidgetItem* first = item(row, Number);
  return first == nullptr ? 0 : first->data(Qt::UserRole).toInt();
}

int RunTable::shownRun() const {
  return numberAt(currentRow() >= 0 && currentRow() < rowCount() ? currentRow() : rowCount() - 1);
}

void RunTable::onChanged(const QTableWidgetItem* item) {
  if (m_isFilling) return;
  const int number = numberAt(item->row());
  // The table is filled again by what this does, after the editor is closed.
  if (item->column() == Number) {
    const bool isHidden = item->checkState() == Qt::Unchecked;
    QMetaObject::invokeMethod(
        this, [this, number, isHidden] { Q_EMIT runHidden(number, isHidden); },
        Qt::QueuedConnection);
  } else if (item->column() == Name) {
    QMetaObject::invokeMethod(
        this, [this, number, name = item->text()] { Q_EMIT runRenamed(number, name); },
        Qt::QueuedConnection);
  }
}

void RunTable::removeSelected() {
  if (const int number = numberAt(currentRow()); number > 0) Q_EMIT runRemoved(number);
}

void RunTable::renameSelected() {
  if (currentRow() >= 0) editItem(item(currentRow(), Name));
}

void RunTable::keyPressEvent(QKeyEvent* event) {
  if (state() != QAbstractItemView::EditingState) {
    if (event->key() == Qt::Key_Delete) return removeSelected();
    if (event->key() == Qt::Key_F2) return renameSelected();
  }
  QTableWidget::keyPressEvent(event);
}

void RunTable::contextMenuEvent(QContextMenuEvent* event) {
  if (currentRow() < 0) return;
  QMenu menu(this);
  menu.addAction(tr("Rename …\tF2"), this, &RunTable::renameSelected);
  QTableWidgetItem* const mark = item(currentRow(), Number);
  const bool isShown = mark->checkState() == Qt::Checked;
  menu.addAction(isShown ? tr("Hide in the diagram") : tr("Show in the diagram"), this,
                 [mark, isShown] { mark->setCheckState(isShown ? Qt::Unchecked : Qt::Checked); });
  menu.addAction(tr("Delete\tDel"), this, &RunTable::removeSelected);
  menu.exec(event->globalPos());
}

}  // namespace thallo::gui
