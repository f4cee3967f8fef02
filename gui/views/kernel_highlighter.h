// Colors the words of C and CUDA, in the inks of the theme.
#pragma once

#include <vector>

#include <QRegularExpression>
#include <QSyntaxHighlighter>
#include <QTextCharFormat>

namespace thallo::gui {

class KernelHighlighter final : public QSyntaxHighlighter {
  Q_OBJECT

 public:
  explicit KernelHighlighter(QTextDocument* document);
  // Takes the inks of the theme anew.
  void refresh();

 protected:
  void highlightBlock(const QString& text) override;

 private:
  struct Rule {
    QRegularExpression pattern;
    QTextCharFormat format;
  };
  std::vector<Rule> m_rules;  // a later one wins
};

}  // namespace thallo::gui
