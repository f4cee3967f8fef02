// An item on the partition board, which is dragged with the mouse or moved by keys. It only emits
// signals about that; positions are in the coordinates of its parent's window.
#pragma once

#include <QLabel>

namespace thallo::gui {

class Chip final : public QLabel {
  Q_OBJECT

 public:
  Chip(const QString& item, QWidget* parent);

  const QString& item() const { return m_item; }
  void setSelected(bool isSelected);

 Q_SIGNALS:
  void pressed();
  void dragged(QPoint global);
  void dropped(QPoint global);
  void moveAsked(int by);  // by this number of groups
  void menuAsked(QPoint global);

 protected:
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void contextMenuEvent(QContextMenuEvent* event) override;
  void focusInEvent(QFocusEvent* event) override;
  void focusOutEvent(QFocusEvent* event) override;
  void paintEvent(QPaintEvent* event) override;

 private:
  QString m_item;
  QPoint m_pressed;
  bool m_isDragged = false, m_isSelected = false;
};

}  // namespace thallo::gui
