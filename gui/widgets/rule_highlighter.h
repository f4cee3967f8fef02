// Colors what patterns find in a text, in inks of the theme.
#pragma once

#include <utility>
#include <vector>

#include <QRegularExpression>
#include <QSyntaxHighlighter>

#include "gui/widgets/theme.h"

namespace thallo::gui {

class RuleHighlighter final : public QSyntaxHighlighter {
 public:
  struct Rule {
    QRegularExpression pattern;
    Ink color;
    bool isBold = false;
    int group = 0;  // of the pattern; what it found is colored
  };
  // A later rule overrides an earlier one.
  RuleHighlighter(QTextDocument* document, std::vector<Rule> rules)
      : QSyntaxHighlighter(document), m_rules(std::move(rules)) {}

  void setRules(std::vector<Rule> rules) {
    m_rules = std::move(rules);
    rehighlight();
  }

 protected:
  void highlightBlock(const QString& text) override {
    for (const Rule& rule : m_rules) {
      auto found = rule.pattern.globalMatch(text);
      if (!found.hasNext()) continue;
      QTextCharFormat format;
      format.setForeground(ink(rule.color));
      if (rule.isBold) format.setFontWeight(QFont::DemiBold);
      for (const auto& match : found)
        setFormat(static_cast<int>(match.capturedStart(rule.group)),
                  static_cast<int>(match.capturedLength(rule.group)), format);
    }
  }

 private:
  std::vector<Rule> m_rules;
};

}  // namespace thallo::gui
