// Shows an order of items as a list. Items are dragged with the mouse, or moved by Alt and the
// arrow keys. If there are few orders, all of them are listed below with their times.
#pragma once

#include <QLabel>
#include <QListWidget>

#include "gui/schedule/view/editors/site_editor.h"

namespace thallo::gui {

class OrderList final : public SiteEditor {
  Q_OBJECT

 public:
  explicit OrderList(ScheduleModel& schedule);

 protected:
  void refresh(const SiteTable& table) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void move(int from, int to);
  bool drag(const QMouseEvent& mouse);
  bool isDragging() const { return m_dragged >= 0; }
  // Takes the order that is shown.
  void takeShown();
  std::vector<std::string> shownOrder() const;
  void showOrder(const std::vector<std::string>& order);

  QListWidget* m_items;
  SiteEditor* m_all;
  int m_dragged = -1;  // the row that follows the mouse, or -1
  std::vector<std::string> m_orderBefore;
};

}  // namespace thallo::gui
