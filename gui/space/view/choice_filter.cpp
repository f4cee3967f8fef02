#include "gui/space/view/choice_filter.h"

#include <algorithm>

#include <QMenu>
#include <QScreen>
#include <QSignalBlocker>
#include <QWidgetAction>

#include "gui/base/text.h"

namespace thallo::gui {
namespace {

constexpr QSize LargestList{380, 420};

}  // namespace

ChoiceFilter::ChoiceFilter(SpaceModel& space, QWidget* parent)
    : QToolButton(parent), m_space(space), m_tree(new QTreeWidget) {
  setObjectName("candidateChoices");
  setText(tr("By choice"));
  setToolTip(tr("Only schedules that make this choice at a site"));
  setPopupMode(QToolButton::InstantPopup);
  m_tree->setObjectName("choiceTree");
  m_tree->setAccessibleName(tr("Choices at sites"));
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
  connect(m_tree, &QTreeWidget::itemChanged, this, [this](QTreeWidgetItem* item) { take(*item); });
  // A click at the name of a site unfolds it too, not only a click at the arrow.
  connect(m_tree, &QTreeWidget::itemClicked, this, [](QTreeWidgetItem* item) {
    if (item->parent() == nullptr) item->setExpanded(!item->isExpanded());
  });
}

void ChoiceFilter::fill() {
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

void ChoiceFilter::take(QTreeWidgetItem& changed) {
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

}  // namespace thallo::gui
