// Shows two pictures on top of each other, divided by a line that the mouse or the arrow keys move:
// the first picture is visible on its left, the second on its right.
#pragma once

#include <QPixmap>
#include <QWidget>

namespace thallo::gui {

class ImageCompare final : public QWidget {
  Q_OBJECT

 public:
  ImageCompare();

  // A file that cannot be read shows nothing; `second` may be empty.
  void setImages(const QString& first, const QString& firstName, const QString& second,
                 const QString& secondName);
  // Sets the text shown while there is no picture.
  void setMessage(const QString& message);
  const QString& message() const { return m_message; }
  bool isEmpty() const { return m_first.isNull(); }
  // The position of the line, from 0 (left edge) to 1 (right edge).
  double position() const { return m_position; }
  void setPosition(double position);
  QSize sizeHint() const override { return {420, 320}; }

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  QRectF imageArea() const;
  void paintName(QPainter& painter, const QRectF& area, const QString& name, bool isLeft) const;

  QPixmap m_first, m_second;
  QString m_firstName, m_secondName, m_message;
  double m_position = 0.5;
};

}  // namespace thallo::gui
