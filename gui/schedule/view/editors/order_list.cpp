// Shows an order of items as a list. Items are dragged with the mouse, or moved by Alt and the
// arrow keys. If there are few orders, all of them are listed below with their times.
#include <algorithm>
#include <utility>

#include <QKeyEvent>
#include <QListWidget>
#include <QMouseEvent>

#include "gui/base/text.h"
#include "gui/schedule/view/editors/site_editor.h"
#include "gui/widgets/labels.h"
#include "gui/widgets/layouts.h"
#include "gui/widgets/theme.h"

namespace thallo::gui {
namespace {

constexpr std::size_t MostOrdersListed = 24;
constexpr int ItemHeight = 30;

class OrderList final : public SiteEditor {
 public:
  explicit OrderList(ScheduleModel& schedule)
      : SiteEditor(schedule),
        m_items(named(new QListWidget, "orderItems", tr("Order, the outermost first"))),
        m_all(makeChoiceList(schedule)) {
    setObjectName("orderEditor");
    m_items->setToolTip(tr("Drag an item, or move it with Alt+Up and Alt+Down"));
    m_items->installEventFilter(this);
    m_items->viewport()->installEventFilter(this);
    auto* hint = mutedLabel(tr("Drag to reorder, or Alt+↑ and Alt+↓."));
    setLayout(makeColumn({m_items, hint, {m_all, 1}}, {0, 0, 0, 0}));
    connect(m_all, &SiteEditor::told, this, &SiteEditor::told);
  }

 protected:
  void refresh(const SiteTable& table) override {
    const auto& ordering = std::get<Ordering>(site().editor);
    const ChoiceRow& chosen = site().choices[site().chosen];
    if (const auto order = ordering.order({chosen.label.toStdString(), {}})) showOrder(*order);
    m_all->setVisible(site().choices.size() <= MostOrdersListed);
    if (m_all->isVisibleTo(this)) m_all->setSite(site(), table);
  }

  bool eventFilter(QObject* watched, QEvent* event) override {
    if (watched == m_items && event->type() == QEvent::KeyPress) {
      const auto* key = static_cast<QKeyEvent*>(event);
      const bool isUp = key->key() == Qt::Key_Up, isDown = key->key() == Qt::Key_Down;
      if (key->modifiers().testFlag(Qt::AltModifier) && (isUp || isDown)) {
        const int from = m_items->currentRow(), to = from + (isUp ? -1 : 1);
        if (from < 0 || to < 0 || to >= m_items->count()) return true;
        move(from, to);
        takeShown();
        return true;
      }
    }
    const auto* mouse = dynamic_cast<QMouseEvent*>(event);
    if (watched == m_items->viewport() && mouse != nullptr) return drag(*mouse);
    return SiteEditor::eventFilter(watched, event);
  }

 private:
  void move(int from, int to) {
    // moveRow() counts positions before the row is removed from its old one.
    m_items->model()->moveRow({}, from, {}, to > from ? to + 1 : to);
  }

  // Moves the pressed row with the mouse. The order at the time of release is taken.
  bool drag(const QMouseEvent& mouse) {
    switch (mouse.type()) {
      case QEvent::MouseButtonPress:
        if (mouse.button() != Qt::LeftButton) return false;
        m_dragged = m_items->row(m_items->itemAt(mouse.position().toPoint()));
        m_orderBefore = shownOrder();
        return false;
      case QEvent::MouseMove: {
        if (!isDragging()) return false;
        const int row = static_cast<int>(mouse.position().y()) / ItemHeight;
        const int to = std::clamp(row, 0, m_items->count() - 1);
        if (to != m_dragged) move(std::exchange(m_dragged, to), to);
        return true;
      }
      case QEvent::MouseButtonRelease:
        if (std::exchange(m_dragged, -1) >= 0 && shownOrder() != m_orderBefore) takeShown();
        return false;
      default: return false;
    }
  }

  bool isDragging() const { return m_dragged >= 0; }

  // Takes the order that is shown.
  void takeShown() {
    const QString label = toQt(Ordering::choice(shownOrder()).label);
    const auto listed = std::ranges::find(site().choices, label, &ChoiceRow::label);
    if (listed == site().choices.end()) {
      // There are too many orders to list; whether this one is legal is found when it is taken.
      schedule().choose(site().construct, site().name, label);
      return;
    }
    choose(static_cast<std::size_t>(listed - site().choices.begin()));
    if (listed->illegal.isEmpty()) return;
    // Returns to the chosen order. Later, because the list is still moving a row.
    const auto now = std::get<Ordering>(site().editor)
                         .order({site().choices[site().chosen].label.toStdString(), {}});
    QMetaObject::invokeMethod(
        this, [this, now] { showOrder(*now); }, Qt::QueuedConnection);
  }

  std::vector<std::string> shownOrder() const {
    std::vector<std::string> order;
    for (int i = 0; i < m_items->count(); ++i)
      order.push_back(m_items->item(i)->data(Qt::UserRole).toString().toStdString());
    return order;
  }

  void showOrder(const std::vector<std::string>& order) {
    const int current = m_items->currentRow();
    const QString kept =
        current < 0 ? QString() : m_items->item(current)->data(Qt::UserRole).toString();
    if (isDragging() || order == shownOrder()) return;
    m_items->clear();
    for (std::size_t i = 0; i < order.size(); ++i) {
      const QString name = toQt(order[i]);
      auto* item = new QListWidgetItem(QStringLiteral("⠿  ") + name, m_items);
      item->setData(Qt::UserRole, name);
      item->setData(Qt::AccessibleTextRole, name);
      item->setSizeHint({0, ItemHeight});
      item->setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable);
      if (name == kept) m_items->setCurrentItem(item);
    }
    if (m_items->currentRow() < 0) m_items->setCurrentRow(0);
    m_items->setFixedHeight(ItemHeight * m_items->count() + 4);
  }

  QListWidget* m_items;
  SiteEditor* m_all;
  int m_dragged = -1;  // the row that follows the mouse, or -1
  std::vector<std::string> m_orderBefore;
};

}  // namespace

SiteEditor* makeOrderList(ScheduleModel& schedule) { return new OrderList(schedule); }

}  // namespace thallo::gui
