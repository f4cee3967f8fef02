// Colors C and CUDA code in the inks of the theme.
#pragma once

#include <vector>

#include <QRegularExpression>
#include <QStringList>
#include <QSyntaxHighlighter>
#include <QTextCharFormat>

namespace thallo::gui {

class KernelHighlighter final : public QSyntaxHighlighter {
  Q_OBJECT

 public:
  explicit KernelHighlighter(QTextDocument* document);
  // Sets the words that are arguments of the kernel.
  void setArguments(const QStringList& words);
  // Reads the inks of the theme again.
  void refresh();

 protected:
  void highlightBlock(const QString& text) override;

 private:
  struct Rule {
    QRegularExpression pattern;
    QTextCharFormat format;
  };
  QStringList m_arguments;
  std::vector<Rule> m_rules;  // a later rule overrides an earlier one
};

}  // namespace thallo::gui
