// Shows items in groups, such as residuals in parts: each group is a column of chips. A chip is
// dragged to another column, or to the empty one on the right, which makes a new group; its menu,
// and Alt with the arrow keys, do the same. During a drag, the board says what dropping the chip
// there would lead to. The choices for the selected item alone are below.
#include <algorithm>

#include <QFrame>
#include <QGridLayout>
#include <QLabel>
#include <QMenu>

#include "gui/schedule/view/editors/chip.h"
#include "gui/schedule/view/editors/site_editor.h"
#include "gui/widgets/labels.h"
#include "gui/widgets/layouts.h"
#include "gui/widgets/theme.h"

namespace thallo::gui {
namespace {

class PartitionBoard final : public SiteEditor {
 public:
  explicit PartitionBoard(ScheduleModel& schedule)
      : SiteEditor(schedule),
        m_board(new QWidget),
        m_columnsLayout(new QGridLayout(m_board)),
        m_ghost(new QLabel(this)),
        m_verdict(named(wrappedLabel(), "boardVerdict")),
        m_itemTitle(mutedLabel()),
        m_all(makeChoiceList(schedule)) {
    setObjectName("partitionBoard");
    m_columnsLayout->setContentsMargins(0, 0, 0, 0);
    m_columnsLayout->setSpacing(8);
    m_verdict->setMinimumHeight(2 * fontMetrics().lineSpacing());
    m_verdict->setAlignment(Qt::AlignLeft | Qt::AlignTop);
    m_ghost->setAttribute(Qt::WA_TransparentForMouseEvents);
    m_ghost->setAutoFillBackground(true);
    m_ghost->setContentsMargins(8, 4, 8, 4);
    m_ghost->hide();
    setLayout(makeColumn({m_board, m_verdict, m_itemTitle, {m_all, 1}}, {0, 0, 0, 0}));
    connect(m_all, &SiteEditor::told, this, &SiteEditor::told);
    connect(&schedule, &ScheduleModel::trialChanged, this, &PartitionBoard::showTrial);
  }

 protected:
  void refresh(const SiteTable& table) override {
    const SiteGroups* its = table.groupsOf(site().construct);
    if (its != nullptr && its->groups != m_groups) {
      m_groups = its->groups;
      rebuild();
    }
    for (Chip* chip : m_chips) chip->setSelected(chip->item() == site().name);
    m_itemTitle->setText(tr("%1 alone").arg(site().shown));
    m_all->setSite(site(), table);
    showTrial();
  }

  void resizeEvent(QResizeEvent* /*event*/) override { layOutColumns(); }

 private:
  void rebuild() {
    const auto focused =
        std::ranges::find_if(m_chips, [](const Chip* chip) { return chip->hasFocus(); });
    const QString kept = focused == m_chips.end() ? QString() : (*focused)->item();
    for (QFrame* column : m_columns) {
      column->hide();
      column->deleteLater();  // it may be handling an event
    }
    m_columns.clear();
    m_chips.clear();
    m_target.reset();
    m_wanted.clear();
    m_ghost->hide();
    for (std::size_t i = 0; i < m_groups.size(); ++i)
      addColumn(tr("group %1").arg(i + 1), m_groups[i]);
    addColumn(tr("new group"), {});
    layOutColumns();
    highlight({});
    // Keeps the focus for a user who moves the item by keys.
    for (Chip* chip : m_chips)
      if (chip->item() == kept) chip->setFocus();
  }

  // Puts as many columns side by side as there is room for.
  void layOutColumns() {
    int widest = 0;
    for (const QFrame* column : m_columns) widest = std::max(widest, column->sizeHint().width());
    const int spacing = m_columnsLayout->spacing();
    const int fit = std::max(1, (width() + spacing) / std::max(1, widest + spacing));
    for (int i = 0; i < m_columnsLayout->columnCount(); ++i)
      m_columnsLayout->setColumnStretch(i, 0);
    for (std::size_t i = 0; i < m_columns.size(); ++i) {
      const int at = static_cast<int>(i);
      m_columnsLayout->addWidget(m_columns[i], at / fit, at % fit);
      m_columnsLayout->setColumnStretch(at % fit, 1);
    }
  }

  void addColumn(const QString& title, const QStringList& items) {
    auto* column = named(new QFrame,
                         items.isEmpty() ? QStringLiteral("newGroup")
                                         : QStringLiteral("group%1").arg(m_columns.size() + 1),
                         title);
    auto* layout = makeColumn({mutedLabel(title)}, {8, 6, 8, 8}, 4);
    column->setLayout(layout);
    for (const QString& item : items) addChip(layout, item);
    layout->addStretch();
    m_columns.push_back(column);
  }

  void addChip(QVBoxLayout* column, const QString& item) {
    auto* chip = new Chip(item, column->parentWidget());
    column->addWidget(chip);
    m_chips.push_back(chip);
    const QString id = SiteRow::idOf(site().construct, item);
    connect(chip, &Chip::pressed, this, [this, id] { Q_EMIT siteAsked(id); });
    connect(chip, &Chip::dragged, this, [this, chip](QPoint global) { drag(chip, global); });
    connect(chip, &Chip::dropped, this, [this, chip](QPoint global) { drop(chip, global); });
    connect(chip, &Chip::menuAsked, this, [this, item](QPoint global) { showMenu(item, global); });
    connect(chip, &Chip::moveAsked, this, [this, item](int by) {
      const auto to = static_cast<std::ptrdiff_t>(groupOf(item)) + by;
      if (to >= 0 && to < std::ssize(m_columns)) move(item, static_cast<std::size_t>(to));
    });
  }

  // Returns the group at that position; the number of groups for the empty column; absent
  // elsewhere.
  std::optional<std::size_t> columnAt(QPoint global) const {
    for (std::size_t i = 0; i < m_columns.size(); ++i) {
      const QFrame* column = m_columns[i];
      if (column->rect().contains(column->mapFromGlobal(global))) return i;
    }
    return std::nullopt;
  }

  std::size_t groupOf(const QString& item) const {
    const auto found = std::ranges::find_if(
        m_groups, [&item](const QStringList& group) { return group.contains(item); });
    return static_cast<std::size_t>(found - m_groups.begin());
  }

  // Returns the groups after moving the item to that column.
  ItemGroups moved(const QString& item, std::size_t column) const {
    ItemGroups groups = m_groups;
    groups[groupOf(item)].removeAll(item);
    if (column < groups.size())
      groups[column].append(item);
    else
      groups.push_back({item});
    std::erase_if(groups, [](const QStringList& group) { return group.isEmpty(); });
    return groups;
  }

  void drag(Chip* chip, QPoint global) {
    m_ghost->setText(chip->text());
    m_ghost->adjustSize();
    const QPoint end = rect().bottomRight() - m_ghost->rect().bottomRight();
    const QPoint at = mapFromGlobal(global) + QPoint(8, 8);
    m_ghost->move(std::min(at.x(), end.x()), std::min(at.y(), end.y()));
    m_ghost->show();
    m_ghost->raise();
    const auto target = columnAt(global);
    if (target == m_target) return;
    m_target = target;
    highlight(target);
    m_wanted.clear();
    if (target && *target != groupOf(chip->item())) m_wanted = moved(chip->item(), *target);
    if (m_wanted.empty()) schedule().endTrial();
    if (!m_wanted.empty()) schedule().tryOut({{.construct = site().construct, .groups = m_wanted}});
    showTrial();
  }

  void drop(const Chip* chip, QPoint global) {
    m_ghost->hide();
    m_target.reset();
    m_wanted.clear();
    highlight({});
    schedule().endTrial();
    showTrial();
    if (const auto column = columnAt(global)) move(chip->item(), *column);
  }

  void move(const QString& item, std::size_t column) {
    Q_EMIT told({});
    const ItemGroups groups = moved(item, column);
    if (groups != m_groups) schedule().change({{.construct = site().construct, .groups = groups}});
  }

  void showMenu(const QString& item, QPoint global) {
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    for (std::size_t i = 0; i < m_columns.size(); ++i) {
      if (i == groupOf(item)) continue;
      QAction* action = menu->addAction(i < m_groups.size() ? tr("Move to group %1").arg(i + 1)
                                                            : tr("Into a group of its own"));
      connect(action, &QAction::triggered, this, [this, item, i] { move(item, i); });
    }
    menu->popup(global);
  }

  void showTrial() {
    const auto& trial = schedule().trial();
    QString text = tr("Drag an item to another group, or press Alt+← or Alt+→ on it.");
    Ink color = Ink::Muted;
    if (!m_wanted.empty() && trial.state == RemoteState::Busy) {
      text = tr("Looking what this would come to …");
    } else if (!m_wanted.empty() && trial.isReady() &&
               trial.value->edits.front().groups == m_wanted) {
      const Trial& found = *trial.value;
      const CostWords words = costWords(found.change, found.bytes());
      text = found.illegal.isEmpty() ? words.sentence() : tr("Not legal: %1").arg(found.illegal);
      color = !found.illegal.isEmpty() ? Ink::Bad
              : words.direction < 0    ? Ink::Good
              : words.direction > 0    ? Ink::Bad
                                       : Ink::Muted;
    }
    QPalette palette = m_verdict->palette();
    palette.setColor(QPalette::WindowText, ink(color));
    m_verdict->setPalette(palette);
    m_verdict->setText(text);
  }

  void highlight(std::optional<std::size_t> column) {
    for (std::size_t i = 0; i < m_columns.size(); ++i) {
      const bool isEmpty = i + 1 == m_columns.size();
      m_columns[i]->setStyleSheet(
          QStringLiteral("QFrame#%1 { border: %2px %3 %4; border-radius: 6px; background: %5; }")
              .arg(m_columns[i]->objectName())
              .arg(column == i ? 2 : 1)
              .arg(isEmpty ? QStringLiteral("dashed") : QStringLiteral("solid"))
              .arg(ink(column == i ? Ink::Accent : Ink::Frame).name(),
                   ink(isEmpty ? Ink::Surface : Ink::Raised).name()));
    }
  }

  QWidget* m_board;
  QGridLayout* m_columnsLayout;
  QLabel *m_ghost, *m_verdict, *m_itemTitle;
  SiteEditor* m_all;
  ItemGroups m_groups;
  std::vector<QFrame*> m_columns;  // one for each group, and the empty one
  std::vector<Chip*> m_chips;
  std::optional<std::size_t> m_target;  // the column under the dragged chip
  ItemGroups m_wanted;                  // what dropping it there would make; empty: no change
};

}  // namespace

SiteEditor* makePartitionBoard(ScheduleModel& schedule) { return new PartitionBoard(schedule); }

}  // namespace thallo::gui
