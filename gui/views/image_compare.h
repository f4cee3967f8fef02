// Two pictures over each other, with a line between them that the mouse or the arrow keys move:
// left of it the first is seen, right of it the second.
#pragma once

#include <QPixmap>
#include <QWidget>

namespace thallo::gui {

class ImageCompare final : public QWidget {
  Q_OBJECT

 public:
  explicit ImageCompare(QWidget* parent = nullptr);

  // Files that cannot be read are shown as nothing; the second may be empty.
  void setImages(const QString& first, const QString& firstName, const QString& second,
                 const QString& secondName);
  // What stands there while there is no picture.
  void setMessage(const QString& message);
  const QString& message() const { return m_message; }
  bool isEmpty() const { return m_first.isNull(); }
  double position() const { return m_position; }  // of the line, 0 at the left edge, 1 at the right
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
