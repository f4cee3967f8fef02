#include "gui/space/view/candidate_view.h"

#include <QFile>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QSignalBlocker>
#include <QVBoxLayout>

#include "gui/base/text.h"
#include "gui/space/view/choice_filter.h"
#include "gui/widgets/theme.h"

namespace thallo::gui {

CandidateView::CandidateView(Workspace& workspace, QWidget* parent)
    : QWidget(parent),
      m_workspace(workspace),
      m_table(workspace.space()),
      m_shown(workspace.space(), m_table),
      m_view(new QTableView),
      m_refresh(*this, [this] { refresh(); }) {
  m_view->setObjectName("candidateTable");
  m_view->setAccessibleName(tr("Candidates"));
  m_view->setModel(&m_shown);
  m_view->setSortingEnabled(true);
  m_view->sortByColumn(CandidateTable::Time, Qt::AscendingOrder);
  m_view->setSelectionBehavior(QAbstractItemView::SelectRows);
  m_view->setSelectionMode(QAbstractItemView::SingleSelection);
  m_view->setShowGrid(false);
  m_view->setWordWrap(false);
  m_view->setAlternatingRowColors(true);
  m_view->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
  m_view->verticalHeader()->hide();
  m_view->verticalHeader()->setDefaultSectionSize(fontMetrics().height() + 6);
  m_view->horizontalHeader()->setHighlightSections(false);
  m_view->horizontalHeader()->setStretchLastSection(true);
  m_view->horizontalHeader()->setDefaultSectionSize(92);
  // Titles of numeric columns are right-aligned, where the arrow would be.
  m_view->horizontalHeader()->setStyleSheet(
      "QHeaderView::up-arrow, QHeaderView::down-arrow { subcontrol-origin: padding;"
      " subcontrol-position: center left; width: 10px; }");
  m_view->setMinimumHeight(96);
  connect(&m_table, &CandidateTable::modelReset, this, &CandidateView::placeDevices);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(4);
  layout->addWidget(makeFilterBar());
  layout->addWidget(m_view, 1);
  const auto take = [this](const QModelIndex& index) {
    m_workspace.takeCandidate(index.data(CandidateTable::HashRole).toString());
  };
  connect(m_view, &QTableView::clicked, this, take);
  connect(m_view, &QTableView::activated, this, take);
  SpaceModel& space = workspace.space();
  connect(&space, &SpaceModel::spaceChanged, &m_refresh, &ShownRefresh::ask);
  connect(&space, &SpaceModel::filterChanged, &m_refresh, &ShownRefresh::ask);
  connect(&workspace.schedule(), &ScheduleModel::scheduleChanged, this,
          [this] { m_refresh.askFor([this] { showCurrent(); }); });
  m_refresh.ask();
}

QWidget* CandidateView::makeFilterBar() {
  auto* bar = new QWidget;
  auto* layout = new QHBoxLayout(bar);
  layout->setContentsMargins(12, 4, 12, 0);
  layout->setSpacing(6);
  m_words = new QLineEdit;
  m_words->setObjectName("candidateWords");
  m_words->setAccessibleName(tr("Search schedules"));
  m_words->setPlaceholderText(tr("words in the schedule, its number or the failure"));
  m_words->setClearButtonEnabled(true);
  m_words->setMaximumWidth(280);
  connect(m_words, &QLineEdit::textChanged, this, [this](const QString& words) {
    edit([&](SpaceFilter& filter) { filter.words = words; });
  });
  m_show = new QComboBox;
  m_show->setObjectName("candidateShow");
  m_show->setAccessibleName(tr("Which candidates"));
  m_show->addItems({tr("all"), tr("with a time"), tr("failures")});
  connect(m_show, &QComboBox::activated, this, [this](int index) {
    edit([&](SpaceFilter& filter) { filter.show = static_cast<SpaceFilter::Show>(index); });
  });
  m_clear = new QToolButton;
  m_clear->setObjectName("clearFilter");
  m_clear->setText(tr("Clear filter"));
  connect(m_clear, &QToolButton::clicked, this, [this] { m_workspace.space().setFilter({}); });
  m_summary = new QLabel;
  m_summary->setObjectName("candidateSummary");
  m_summary->setForegroundRole(QPalette::PlaceholderText);
  m_summary->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  auto* save = new QToolButton;
  save->setText(tr("CSV …"));
  save->setToolTip(tr("Saves the rows that are shown, in their order"));
  connect(save, &QToolButton::clicked, this, &CandidateView::exportTable);
  auto* title = new QLabel(tr("Candidates"));
  title->setFont(titleFont());
  layout->addWidget(title);
  layout->addWidget(m_summary, 1);
  layout->addWidget(m_clear);
  layout->addWidget(m_words);
  layout->addWidget(m_show);
  layout->addWidget(new ChoiceFilter(m_workspace.space()));
  layout->addWidget(save);
  return bar;
}

void CandidateView::edit(const std::function<void(SpaceFilter&)>& change) {
  SpaceFilter filter = m_workspace.space().filter();
  change(filter);
  m_workspace.space().setFilter(filter);
}

void CandidateView::refresh() {
  const SpaceModel& model = m_workspace.space();
  const SpaceFilter& filter = model.filter();
  if (m_words->text() != filter.words) m_words->setText(filter.words);
  m_show->setCurrentIndex(static_cast<int>(filter.show));
  m_clear->setVisible(!filter.isEmpty());
  const SpaceSnapshot* space = m_table.snapshot();
  if (space == nullptr) return m_summary->clear();
  QStringList words;
  if (filter.isEmpty()) {
    words.append(tr("%1 schedules").arg(countText(static_cast<double>(space->size()))));
  } else {
    words.append(tr("%1 of %2")
                     .arg(countText(static_cast<double>(model.numShown())),
                          countText(static_cast<double>(space->size()))));
  }
  if (filter.seconds) {
    words.append(tr("%1 to %2")
                     .arg(secondsText(filter.seconds->first), secondsText(filter.seconds->second)));
  }
  for (const auto& [site, choice] : filter.choices) words.append(site + " = " + choice);
  if (filter.isEmpty()) {
    std::size_t numFailed = 0;
    for (const FailureGroup& failure : space->failures) numFailed += failure.count;
    if (numFailed > 0)
      words.append(tr("%1 without a time").arg(countText(static_cast<double>(numFailed))));
  }
  m_summary->setText(words.join(QStringLiteral(" · ")));
  showCurrent();
}

void CandidateView::showCurrent() {
  const auto& schedule = m_workspace.schedule().schedule().value;
  const QModelIndex row = schedule ? m_shown.find(schedule->hash) : QModelIndex();
  if (!row.isValid()) return m_view->clearSelection();
  if (m_view->selectionModel()->isRowSelected(row.row())) return;
  m_view->selectRow(row.row());
  m_view->scrollTo(row);
}

// Places times on other devices next to those of this device.
void CandidateView::placeDevices() {
  QHeaderView& header = *m_view->horizontalHeader();
  for (int column = 0; column < header.count(); ++column)
    header.moveSection(header.visualIndex(column), column);
  for (int i = 0; i < m_table.numDevices(); ++i) {
    const int column = CandidateTable::NumFixed + i;
    m_view->resizeColumnToContents(column);
    header.moveSection(header.visualIndex(column), CandidateTable::OffBest + 1 + i);
  }
}

void CandidateView::exportTable() {
  if (m_table.snapshot() == nullptr) return;
  QString name = QFileDialog::getSaveFileName(this, tr("Save the table"), {}, tr("Table (*.csv)"));
  if (name.isEmpty()) return;
  if (!name.endsWith(".csv", Qt::CaseInsensitive)) name += ".csv";
  QFile file(name);
  if (!file.open(QIODevice::WriteOnly)) return;
  const SpaceSnapshot& space = *m_table.snapshot();
  std::vector<const Candidate*> candidates;
  for (const std::size_t i : m_shown.candidates()) candidates.push_back(&space.candidates[i]);
  file.write(QByteArray::fromStdString(candidates_csv(candidates, space.kind)));
}

}  // namespace thallo::gui
