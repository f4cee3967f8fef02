// Texts that end with … where there is no room for all of them: their tool tips have the whole.
#pragma once

#include <QLabel>
#include <QRadioButton>

namespace thallo::gui {

// One line of text.
class ElidedLabel final : public QLabel {
  Q_OBJECT

 public:
  explicit ElidedLabel(const QString& text = {});

 protected:
  void paintEvent(QPaintEvent* event) override;
};

class ElidedRadioButton final : public QRadioButton {
  Q_OBJECT

 public:
  using QRadioButton::QRadioButton;
  QSize minimumSizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;
};

}  // namespace thallo::gui
