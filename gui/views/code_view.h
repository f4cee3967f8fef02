// A text of code to read: numbered lines, beside some of them a stripe in a color, and those that
// were added or removed with a sign and a color of their own.
#pragma once

#include <functional>

#include <QColor>
#include <QPlainTextEdit>

#include "gui/models/line_diff.h"

namespace thallo::gui {

class CodeView final : public QPlainTextEdit {
  Q_OBJECT

 public:
  explicit CodeView(QWidget* parent = nullptr);

  // A stripe beside these lines, which count from 0; none when `last` is less than `first`.
  void setStripe(int first, int last, const QColor& color);
  // By line; none of the lines is changed where it is empty. Removed lines have no number.
  void setChanges(std::vector<LineChange> changes);
  // The first line that is seen, as far as the text is long enough.
  void showFrom(int line);
  // What stands for a word that the mouse is on; empty for nothing.
  void setExplanation(std::function<QString(const QString& word)> explain) {
    m_explain = std::move(explain);
  }

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void changeEvent(QEvent* event) override;
  bool viewportEvent(QEvent* event) override;

 private:
  class Gutter;
  LineChange changeOf(int line) const;
  int gutterWidth() const;
  void layOutGutter();
  void paintGutter(QPaintEvent* event);

  QWidget* m_gutter;
  int m_first = 0, m_last = -1;
  QColor m_color;
  std::vector<LineChange> m_changes;
  std::vector<int> m_numbers;  // by line, 0 for none; empty: all are counted
  std::function<QString(const QString& word)> m_explain;
};

}  // namespace thallo::gui
