// Colors the text of an energy: declared names in the colors of their kinds, as on all pages;
// numbers, functions, keywords and comments in their own.
#pragma once

#include <vector>

#include <QHash>
#include <QRegularExpression>
#include <QSet>
#include <QSyntaxHighlighter>

#include "gui/problem/problem_data.h"

namespace thallo::gui {

// The form of an energy: as written by its author, or as Thallo prints it.
enum class EnergyForm { Written, Understood };

class EnergyHighlighter final : public QSyntaxHighlighter {
 public:
  using QSyntaxHighlighter::QSyntaxHighlighter;

  // Does not color the existing text again, so it must be called before a text is set or together
  // with rehighlight(). `words` are those of the author's language.
  void setEnergy(EnergyForm form, const std::vector<EnergySymbol>& symbols,
                 const EnergyWords& words);

 protected:
  void highlightBlock(const QString& text) override;

 private:
  QSet<QString> m_keywords;
  QRegularExpression m_token;       // a comment, a text in quotes, a word or a number
  QHash<QString, QString> m_kinds;  // by name
};

}  // namespace thallo::gui
