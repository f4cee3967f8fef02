// Shows code read-only: with line numbers, a colored stripe beside some lines, and a sign and a
// color for added and removed lines.
#pragma once

#include <functional>
#include <utility>

#include <QColor>
#include <QPlainTextEdit>

#include "gui/base/line_diff.h"

namespace thallo::gui {

// The margin of an editor, which paints it.
class EditorMargin final : public QWidget {
 public:
  using Paint = std::function<void(const QPaintEvent& event)>;
  EditorMargin(QPlainTextEdit& editor, Paint paint) : QWidget(&editor), m_paint(std::move(paint)) {}

 protected:
  void paintEvent(QPaintEvent* event) override { m_paint(*event); }

 private:
  Paint m_paint;
};

class CodeView final : public QPlainTextEdit {
  Q_OBJECT

 public:
  CodeView();

  // Draws a stripe beside these lines, which count from 0; no stripe if `last` is less than
  // `first`.
  void setStripe(int first, int last, const QColor& color);
  // The change of each line; if empty, no line is changed. Removed lines have no number.
  void setChanges(std::vector<LineChange> changes);
  // Scrolls so that this line is at the top, as far as the length of the text permits.
  void showFrom(int line);
  // Lights these lines, which count from 0 and ascend, as what belongs to the selection. Scrolls to
  // the first if none of them is visible.
  void setLinked(const std::vector<int>& lines);
  // Sets the function that explains the word under the mouse; it returns an empty text for nothing.
  void setExplanation(std::function<QString(const QString& word)> explain) {
    m_explain = std::move(explain);
  }

 Q_SIGNALS:
  // The user went to a line, which counts from 0, by mouse or keys.
  void lineChosen(int line);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void keyReleaseEvent(QKeyEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void changeEvent(QEvent* event) override;
  bool viewportEvent(QEvent* event) override;

 private:
  LineChange changeOf(int line) const;
  int gutterWidth() const;
  void layOutGutter();
  void paintGutter(const QPaintEvent& event);

  QWidget* m_gutter;
  int m_first = 0, m_last = -1;
  QColor m_color;
  std::vector<LineChange> m_changes;
  std::vector<int> m_numbers;  // for each line, 0 for none; empty: number all lines
  std::function<QString(const QString& word)> m_explain;
};

}  // namespace thallo::gui
