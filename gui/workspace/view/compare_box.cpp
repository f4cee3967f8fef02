#include "gui/workspace/view/compare_box.h"

#include <algorithm>

#include <QSignalBlocker>

#include "gui/widgets/labels.h"
#include "gui/widgets/layouts.h"

namespace thallo::gui {

CompareBox::CompareBox(Workspace& workspace)
    : m_workspace(workspace),
      m_box(named(new QComboBox, "compareWith", tr("Schedule to compare with"))) {
  auto* label = mutedLabel(tr("Compare with"));
  label->setBuddy(m_box);
  // Long names are cut rather than tabs beside the box.
  m_box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  m_box->setMinimumContentsLength(8);
  setLayout(makeRow({label, m_box}, {0, 0, 0, 0}));
  connect(m_box, &QComboBox::activated, this, [this](int chosen) {
    ComparisonModel& comparison = m_workspace.comparison();
    comparison.setWith(comparison.choices().at(static_cast<std::size_t>(chosen)));
    Q_EMIT this->chosen(comparison.with().kind != CompareWith::Kind::Nothing);
  });
  connect(&workspace.comparison(), &ComparisonModel::choicesChanged, this, &CompareBox::refresh);
  connect(&workspace.problems(), &ProblemModel::problemChanged, this, &CompareBox::refresh);
  refresh();
}

void CompareBox::refresh() {
  const QSignalBlocker blocker(m_box);
  const ComparisonModel& comparison = m_workspace.comparison();
  const auto choices = comparison.choices();
  QStringList texts, known;
  for (const CompareWith& choice : choices) texts.append(comparison.textOf(choice));
  for (int i = 0; i < m_box->count(); ++i) known.append(m_box->itemText(i));
  // An open list stays open as long as its entries do not change.
  if (texts != known) {
    m_box->clear();
    m_box->addItems(texts);
  }
  const auto chosen = std::ranges::find(choices, comparison.with());
  m_box->setCurrentIndex(static_cast<int>(chosen - choices.begin()));
  m_box->setToolTip(m_box->currentText());
}

}  // namespace thallo::gui
