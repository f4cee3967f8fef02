// A large button with a small drawing, a title and a sentence: one of the ways into the app.
#pragma once

#include <utility>

#include <QPushButton>

namespace thallo::gui {

// What the drawing shows: decisions and their times, a text and a picture, or a distribution.
enum class Way { Schedule, Energy, Space };

class WayButton final : public QPushButton {
  Q_OBJECT

 public:
  // An ampersand in the title makes the letter after it a key, with Alt.
  WayButton(Way way, const QString& title, const QString& sentence, QWidget* parent = nullptr);

  QSize sizeHint() const override { return {420, heightForWidth(420)}; }
  QSize minimumSizeHint() const override { return {240, heightForWidth(420)}; }
  bool hasHeightForWidth() const override { return true; }
  int heightForWidth(int width) const override;

 protected:
  void paintEvent(QPaintEvent* event) override;
  // Hover is painted.
  void enterEvent(QEnterEvent* event) override;
  void leaveEvent(QEvent* event) override;

 private:
  Way m_way;
  QString m_sentence;
  // The room for the sentence and its height there; layouts ask for the same ones many times.
  mutable std::pair<int, int> m_heightIn = {-1, 0};
};

}  // namespace thallo::gui
