// Texts that end with … if there is not enough room; their tool tips show the whole text.
#pragma once

#include <QLabel>
#include <QPushButton>
#include <QRadioButton>

namespace thallo::gui {

// One line of text.
class ElidedLabel final : public QLabel {
 public:
  explicit ElidedLabel(const QString& text = {});

 protected:
  void paintEvent(QPaintEvent* event) override;
};

class ElidedButton final : public QPushButton {
 public:
  using QPushButton::QPushButton;
  QSize minimumSizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;
};

class ElidedRadioButton final : public QRadioButton {
 public:
  explicit ElidedRadioButton(const QString& text);
  QSize minimumSizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;
};

}  // namespace thallo::gui
