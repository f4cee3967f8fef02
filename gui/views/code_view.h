// A text of code to read: numbered lines, and beside some of them a stripe in a color.
#pragma once

#include <functional>

#include <QColor>
#include <QPlainTextEdit>

namespace thallo::gui {

class CodeView final : public QPlainTextEdit {
  Q_OBJECT

 public:
  explicit CodeView(QWidget* parent = nullptr);

  // A stripe beside these lines, which count from 0; none when `last` is less than `first`.
  void setStripe(int first, int last, const QColor& color);
  // The first line that is seen, as far as the text is long enough.
  void showFrom(int line);
  // What stands for a word that the mouse is on; empty for nothing.
  void setExplanation(std::function<QString(const QString& word)> explain) {
    m_explain = std::move(explain);
  }

 protected:
  void resizeEvent(QResizeEvent* event) override;
  void changeEvent(QEvent* event) override;
  bool viewportEvent(QEvent* event) override;

 private:
  class Gutter;
  int gutterWidth() const;
  void layOutGutter();
  void paintGutter(QPaintEvent* event);

  QWidget* m_gutter;
  int m_first = 0, m_last = -1;
  QColor m_color;
  std::function<QString(const QString& word)> m_explain;
};

}  // namespace thallo::gui
