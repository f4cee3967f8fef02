// Shows items in groups, such as residuals in parts: each group is a column of chips. A chip is
// dragged to another column, or to the empty one on the right, which makes a new group; its menu,
// and Alt with the arrow keys, do the same. During a drag, the board says what dropping the chip
// there would lead to. The choices for the selected item alone are below.
#pragma once

#include <QFrame>
#include <QGridLayout>
#include <QLabel>
#include <QVBoxLayout>

#include "gui/schedule/view/editors/chip.h"
#include "gui/schedule/view/editors/site_editor.h"

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
  // Puts as many columns side by side as there is room for.
  void layOutColumns();
  void addColumn(const QString& title, const QStringList& items);
  void addChip(QVBoxLayout* column, const QString& item);
  // Returns the group at that position; the number of groups for the empty column; absent
  // elsewhere.
  std::optional<std::size_t> columnAt(QPoint global) const;
  std::size_t groupOf(const QString& item) const;
  // Returns the groups after moving the item to that column.
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
  std::optional<std::size_t> m_target;  // the column under the dragged chip
  ItemGroups m_wanted;                  // what dropping it there would make; empty: no change
};

}  // namespace thallo::gui
