#include "gui/space/view/candidate_view.h"

#include <QComboBox>
#include <QFile>
#include <QFileDialog>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QScreen>
#include <QSignalBlocker>
#include <QTableView>
#include <QToolButton>
#include <QTreeWidget>
#include <QWidgetAction>

#include "gui/base/text.h"
#include "gui/space/candidate_table.h"
#include "gui/space/space_model.h"
#include "gui/widgets/labels.h"
#include "gui/widgets/layouts.h"
#include "gui/widgets/shown_refresh.h"
#include "gui/widgets/theme.h"
#include "gui/workspace/workspace.h"

namespace thallo::gui {
namespace {

constexpr QSize LargestList{380, 420};

// The button that filters candidates by their choices. It opens a scrolling list of sites that
// unfold into their choices.
class ChoiceFilter final : public QToolButton {
 public:
  explicit ChoiceFilter(SpaceModel& space)
      : m_space(space), m_tree(named(new QTreeWidget, "choiceTree", tr("Choices at sites"))) {
    setObjectName("candidateChoices");
    setText(tr("By choice"));
    setToolTip(tr("Only schedules that make this choice at a site"));
    setPopupMode(QToolButton::InstantPopup);
    m_tree->setHeaderHidden(true);
    m_tree->setFrameShape(QFrame::NoFrame);
    m_tree->setUniformRowHeights(true);
    m_tree->setExpandsOnDoubleClick(false);
    auto* menu = new QMenu(this);
    auto* action = new QWidgetAction(menu);
    action->setDefaultWidget(m_tree);
    menu->addAction(action);
    setMenu(menu);
    connect(menu, &QMenu::aboutToShow, this, &ChoiceFilter::fill);
    connect(m_tree, &QTreeWidget::itemChanged, this,
            [this](QTreeWidgetItem* item) { take(*item); });
    // A click at the name of a site unfolds it too, not only a click at the arrow.
    connect(m_tree, &QTreeWidget::itemClicked, this, [](QTreeWidgetItem* item) {
      if (item->parent() == nullptr) item->setExpanded(!item->isExpanded());
    });
  }

 private:
  void fill() {
    const QSignalBlocker blocker(m_tree);
    m_tree->clear();
    const QSize screenSize = screen()->availableSize();
    m_tree->setFixedSize(LargestList.boundedTo({screenSize.width(), screenSize.height() / 2}));
    const auto& space = m_space.space().value;
    if (!space) return;
    const auto& chosen = m_space.filter().choices;
    for (const SiteEffect& effect : space->effects) {
      const QString name = toQt(effect.site);
      auto* site = new QTreeWidgetItem(m_tree, {name});
      site->setToolTip(0, name);
      const auto its = chosen.find(name);
      for (const std::string& made : effect.choices) {
        const QString choice = toQt(made);
        auto* item = new QTreeWidgetItem(site, {choice});
        item->setToolTip(0, choice);
        item->setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemIsUserCheckable);
        const bool isChosen = its != chosen.end() && its->second == choice;
        item->setCheckState(0, isChosen ? Qt::Checked : Qt::Unchecked);
      }
      site->setExpanded(its != chosen.end());
    }
  }

  void take(QTreeWidgetItem& changed) {
    QTreeWidgetItem* site = changed.parent();
    if (site == nullptr) return;
    const bool isOn = changed.checkState(0) == Qt::Checked;
    {
      // A schedule makes one choice at each site, so checking one unchecks the others.
      const QSignalBlocker blocker(m_tree);
      for (int i = 0; i < site->childCount(); ++i)
        if (site->child(i) != &changed) site->child(i)->setCheckState(0, Qt::Unchecked);
    }
    m_tree->viewport()->update();
    SpaceFilter filter = m_space.filter();
    filter.choices.erase(site->text(0));
    if (isOn) filter.choices.emplace(site->text(0), changed.text(0));
    m_space.setFilter(filter);
  }

  SpaceModel& m_space;
  QTreeWidget* m_tree;
};

class CandidateView final : public QWidget {
 public:
  explicit CandidateView(Workspace& workspace)
      : m_workspace(workspace),
        m_table(workspace.space()),
        m_shown(workspace.space(), m_table),
        m_view(named(new QTableView, "candidateTable", tr("Candidates"))),
        m_refresh(*this, [this] { refresh(); }) {
    m_view->setModel(&m_shown);
    m_view->setSortingEnabled(true);
    m_view->sortByColumn(CandidateTable::Time, Qt::AscendingOrder);
    showWholeRows(*m_view);
    m_view->setSelectionMode(QAbstractItemView::SingleSelection);
    m_view->setWordWrap(false);
    m_view->setAlternatingRowColors(true);
    m_view->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
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
    setLayout(makeColumn({makeFilterBar(), {m_view, 1}}, {0, 0, 0, 0}, 4));
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

 private:
  QWidget* makeFilterBar() {
    m_words = named(new QLineEdit, "candidateWords", tr("Search schedules"));
    m_words->setPlaceholderText(tr("words in the schedule, its number or the failure"));
    m_words->setClearButtonEnabled(true);
    m_words->setMaximumWidth(280);
    connect(m_words, &QLineEdit::textChanged, this, [this](const QString& words) {
      edit([&](SpaceFilter& filter) { filter.words = words; });
    });
    m_show = named(new QComboBox, "candidateShow", tr("Which candidates"));
    m_show->addItems({tr("all"), tr("with a time"), tr("failures")});
    connect(m_show, &QComboBox::activated, this, [this](int index) {
      edit([&](SpaceFilter& filter) { filter.show = static_cast<SpaceFilter::Show>(index); });
    });
    m_clear = toolButton("clearFilter", tr("Clear filter"), {});
    connect(m_clear, &QToolButton::clicked, this, [this] { m_workspace.space().setFilter({}); });
    m_summary = named(mutedLabel(), "candidateSummary");
    m_summary->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    auto* save = toolButton({}, tr("CSV …"), tr("Saves the rows that are shown, in their order"));
    connect(save, &QToolButton::clicked, this, &CandidateView::exportTable);
    return makePane(makeRow({titleLabel(tr("Candidates")),
                             {m_summary, 1},
                             m_clear,
                             m_words,
                             m_show,
                             new ChoiceFilter(m_workspace.space()),
                             save},
                            {12, 4, 12, 0}, 6));
  }

  void refresh() {
    const SpaceModel& model = m_workspace.space();
    const SpaceFilter& filter = model.filter();
    if (m_words->text() != filter.words) m_words->setText(filter.words);
    m_show->setCurrentIndex(static_cast<int>(filter.show));
    m_clear->setVisible(!filter.isEmpty());
    const SpaceSnapshot* space = m_table.snapshot();
    if (space == nullptr) return m_summary->clear();
    QStringList words;
    if (filter.isEmpty()) {
      words.append(tr("%1 schedules").arg(countText(space->size())));
    } else {
      words.append(tr("%1 of %2").arg(countText(model.numShown()), countText(space->size())));
    }
    if (filter.seconds) {
      words.append(
          tr("%1 to %2")
              .arg(secondsText(filter.seconds->first), secondsText(filter.seconds->second)));
    }
    for (const auto& [site, choice] : filter.choices) words.append(site + " = " + choice);
    if (filter.isEmpty()) {
      std::size_t numFailed = 0;
      for (const FailureGroup& failure : space->failures) numFailed += failure.count;
      if (numFailed > 0) words.append(tr("%1 without a time").arg(countText(numFailed)));
    }
    m_summary->setText(words.join(QStringLiteral(" · ")));
    showCurrent();
  }

  void showCurrent() {
    const auto& schedule = m_workspace.schedule().schedule().value;
    const QModelIndex row = schedule ? m_shown.find(schedule->hash) : QModelIndex();
    if (!row.isValid()) return m_view->clearSelection();
    if (m_view->selectionModel()->isRowSelected(row.row())) return;
    m_view->selectRow(row.row());
    m_view->scrollTo(row);
  }

  // Places times on other devices next to those of this device.
  void placeDevices() {
    QHeaderView& header = *m_view->horizontalHeader();
    for (int column = 0; column < header.count(); ++column)
      header.moveSection(header.visualIndex(column), column);
    for (int i = 0; i < m_table.numDevices(); ++i) {
      const int column = CandidateTable::NumFixed + i;
      m_view->resizeColumnToContents(column);
      header.moveSection(header.visualIndex(column), CandidateTable::OffBest + 1 + i);
    }
  }

  void exportTable() {
    if (m_table.snapshot() == nullptr) return;
    QString name =
        QFileDialog::getSaveFileName(this, tr("Save the table"), {}, tr("Table (*.csv)"));
    if (name.isEmpty()) return;
    if (!name.endsWith(".csv", Qt::CaseInsensitive)) name += ".csv";
    QFile file(name);
    if (!file.open(QIODevice::WriteOnly)) return;
    const SpaceSnapshot& space = *m_table.snapshot();
    std::vector<const Candidate*> candidates;
    for (const std::size_t i : m_shown.candidates()) candidates.push_back(&space.candidates[i]);
    file.write(QByteArray::fromStdString(candidates_csv(candidates, space.kind)));
  }

  void edit(const std::function<void(SpaceFilter&)>& change) {
    SpaceFilter filter = m_workspace.space().filter();
    change(filter);
    m_workspace.space().setFilter(filter);
  }

  Workspace& m_workspace;
  CandidateTable m_table;
  ShownCandidates m_shown;
  QTableView* m_view;
  QLineEdit* m_words;
  QComboBox* m_show;
  QToolButton* m_clear;
  QLabel* m_summary;
  ShownRefresh m_refresh;
};

}  // namespace

QWidget* makeCandidateView(Workspace& workspace) { return new CandidateView(workspace); }

}  // namespace thallo::gui
