// Items in groups, as residuals in parts: each group is a column of chips. A chip is dragged to
// another column or to the empty one at the right, which makes a group; Alt and the arrow keys and
// its menu do the same. While it is dragged, the board says what dropping it there would come to.
// Below, what can be said about the selected item alone.
#pragma once

#include <QFrame>
#include <QGridLayout>
#include <QLabel>
#include <QVBoxLayout>

#include "gui/views/editors/chip.h"
#include "gui/views/editors/site_editor.h"

namespace thallo::gui {

class PartitionBoard final : public SiteEditor {
  Q_OBJECT

 public:
  explicit PartitionBoard(ScheduleModel& schedule);

 protected:
  void refresh(const SiteTable& table) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  void rebuild();
  // As many beside each other as there is room for.
  void layOutColumns();
  void addColumn(const QString& title, const QStringList& items);
  void addChip(QVBoxLayout* column, const QString& item);
  // The group at that place, the number of groups for the empty column; absent elsewhere.
  std::optional<std::size_t> columnAt(QPoint global) const;
  std::size_t groupOf(const QString& item) const;
  // The groups after the item has gone to that column.
  ItemGroups moved(const QString& item, std::size_t column) const;
  void drag(Chip* chip, QPoint global);
  void drop(const Chip* chip, QPoint global);
  void move(const QString& item, std::size_t column);
  void showMenu(const QString& item, QPoint global);
  void showTrial();
  void highlight(std::optional<std::size_t> column);

  QWidget* m_board;
  QGridLayout* m_columnsLayout;
  QLabel *m_ghost, *m_verdict, *m_itemTitle;
  SiteEditor* m_all;
  ItemGroups m_groups;
  std::vector<QFrame*> m_columns;  // one for each group, and the empty one
  std::vector<Chip*> m_chips;
  std::optional<std::size_t> m_target;  // the column that a chip is dragged over
  ItemGroups m_wanted;                  // what dropping it there would make; empty: no change
};

}  // namespace thallo::gui
