// Why one schedule is faster than another, as a waterfall: from the time of the other one, a bar
// for each cause goes to where the next one begins, and the last ends at the time of the current
// one. Beside each bar stands its sentence, as far as there is room; pointing at it shows it all.
#pragma once

#include <memory>
#include <vector>

#include <QWidget>

#include "gui/schedule/schedule_comparison.h"

namespace thallo::gui {

class Workspace;

class Waterfall final : public QWidget {
  Q_OBJECT

 public:
  Waterfall();

  // Null, or one without causes, draws nothing.
  void setComparison(std::shared_ptr<const ScheduleComparison> comparison);
  // Returns the number of lines: those of the causes and one for each of the two times.
  int lineCount() const { return static_cast<int>(m_lines.size()); }

  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 protected:
  bool event(QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;

 private:
  struct Line {
    QString name, change, sentence, tip;
    double begin = 0, end = 0;           // seconds
    const ChangeCause* cause = nullptr;  // null for a time
  };

  int lineHeight() const;
  QRect areaOf(std::size_t line) const;
  void paintLine(QPainter& painter, std::size_t line) const;

  std::shared_ptr<const ScheduleComparison> m_comparison;
  std::vector<Line> m_lines;
  double m_longest = 0;  // seconds
};

// Compares two schedules side by side: a sentence says what the current one gains, a waterfall why,
// and a table below shows where the two differ. A click at a step selects it.
QWidget* makeComparisonView(Workspace& workspace);

}  // namespace thallo::gui
