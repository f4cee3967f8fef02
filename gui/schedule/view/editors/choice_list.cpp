// Shows the choices of a site as a list with their times, for many choices or long labels. A click
// or the return key takes one.
#include <algorithm>

#include <QHeaderView>
#include <QTreeWidget>

#include "gui/schedule/view/editors/site_editor.h"
#include "gui/widgets/layouts.h"
#include "gui/widgets/theme.h"

namespace thallo::gui {
namespace {

enum ListColumn { Label, Time, Change, Bytes, NumListColumns };

constexpr int MostRowsAtOnce = 8;
constexpr int RowPadding = 6;

class ChoiceList final : public SiteEditor {
 public:
  explicit ChoiceList(ScheduleModel& schedule)
      : SiteEditor(schedule), m_list(named(new QTreeWidget, "choiceList", tr("Choices"))) {
    setObjectName("choiceListEditor");
    m_list->setHeaderLabels({tr("choice"), tr("time"), tr("change"), tr("memory")});
    m_list->setRootIsDecorated(false);
    m_list->setUniformRowHeights(true);
    for (const int column : {Time, Change, Bytes})
      m_list->headerItem()->setTextAlignment(column, Qt::AlignRight | Qt::AlignVCenter);
    m_list->header()->setStretchLastSection(false);
    m_list->header()->setSectionResizeMode(QHeaderView::ResizeToContents);
    m_list->header()->setSectionResizeMode(Label, QHeaderView::Stretch);
    setLayout(makeColumn({m_list}, {0, 0, 0, 0}));
    connect(m_list, &QTreeWidget::itemActivated, this, [this](QTreeWidgetItem* item) {
      choose(static_cast<std::size_t>(m_list->indexOfTopLevelItem(item)));
    });
    connect(m_list, &QTreeWidget::itemClicked, m_list, &QTreeWidget::itemActivated);
  }

 protected:
  void refresh(const SiteTable& /*table*/) override {
    const int count = static_cast<int>(site().choices.size());
    while (m_list->topLevelItemCount() > count) delete m_list->topLevelItem(count);
    while (m_list->topLevelItemCount() < count) new QTreeWidgetItem(m_list);
    for (int i = 0; i < count; ++i) {
      const auto at = static_cast<std::size_t>(i);
      const ChoiceRow& choice = site().choices[at];
      const bool isLegal = choice.illegal.isEmpty(), isChosen = at == site().chosen;
      const CostWords words = costWords(site(), at);
      QTreeWidgetItem* item = m_list->topLevelItem(i);
      item->setText(Label, (isChosen ? QStringLiteral("● ") : QStringLiteral("○ ")) + choice.label);
      item->setSizeHint(Label, {0, fontMetrics().height() + RowPadding});
      item->setText(Time, words.time);
      item->setText(Change, !isLegal ? tr("not legal") : isChosen ? tr("chosen") : words.change);
      if (!words.numerics.isEmpty())
        item->setText(Change, QStringList{words.change, words.numerics}.join(", "));
      item->setText(Bytes, words.bytes);
      for (int column = 0; column < NumListColumns; ++column) {
        item->setForeground(column, ink(isLegal ? Ink::Text : Ink::Muted));
        item->setToolTip(column, choiceTip(site(), at));
        if (column != Label) item->setTextAlignment(column, Qt::AlignRight | Qt::AlignVCenter);
      }
      if (isLegal && words.direction != 0)
        item->setForeground(Change, ink(words.direction < 0 ? Ink::Good : Ink::Bad));
      item->setData(Label, Qt::AccessibleDescriptionRole,
                    isLegal ? words.sentence() : choiceTip(site(), at));
    }
    const int row = fontMetrics().height() + RowPadding;
    m_list->setMinimumHeight(m_list->header()->sizeHint().height() +
                             row * std::min(count, MostRowsAtOnce) + RowPadding);
    const auto chosen = m_list->topLevelItem(static_cast<int>(site().chosen));
    if (m_list->currentItem() == nullptr) m_list->scrollToItem(chosen);
  }

 private:
  QTreeWidget* m_list;
};

}  // namespace

SiteEditor* makeChoiceList(ScheduleModel& schedule) { return new ChoiceList(schedule); }

}  // namespace thallo::gui
