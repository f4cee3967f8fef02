#include "gui/schedule/view/schedule_highlighter.h"

#include <array>

#include <QRegularExpression>

#include "gui/widgets/theme.h"

namespace thallo::gui {

void ScheduleHighlighter::highlightBlock(const QString& text) {
  struct Rule {
    QRegularExpression pattern;
    Ink ink;
  };
  // If two rules match at the same position, the later one counts.
  static const std::array Rules = {
      Rule{QRegularExpression(":\\s*(\\w+)"), Ink::Accent},
      Rule{QRegularExpression("\\b(true|false|\\d+)\\b"), Ink::Product},
      Rule{QRegularExpression("(\"[^\"]*\"|'[^']*')"), Ink::Residual},
      Rule{QRegularExpression("(--.*)$"), Ink::Muted}};
  for (const Rule& rule : Rules) {
    for (auto found = rule.pattern.globalMatch(text); found.hasNext();) {
      const auto match = found.next();
      setFormat(static_cast<int>(match.capturedStart(1)), static_cast<int>(match.capturedLength(1)),
                ink(rule.ink));
    }
  }
}

}  // namespace thallo::gui
