// Colors the text of an energy: declared names in the colors of their kinds, as on all pages;
// numbers, functions, keywords and comments in their own.
#pragma once

#include <vector>

#include <QHash>
#include <QSyntaxHighlighter>

#include "gui/models/problem_data.h"

namespace thallo::gui {

// The form of an energy: Lua as written by its author, or as Thallo prints it.
enum class EnergyForm { Written, Understood };

class EnergyHighlighter final : public QSyntaxHighlighter {
  Q_OBJECT

 public:
  using QSyntaxHighlighter::QSyntaxHighlighter;

  // Does not color the existing text again, so it must be called before a text is set or together
  // with rehighlight().
  void setEnergy(EnergyForm form, const std::vector<EnergySymbol>& symbols);

 protected:
  void highlightBlock(const QString& text) override;

 private:
  EnergyForm m_form = EnergyForm::Understood;
  QHash<QString, QString> m_kinds;  // by name
};

}  // namespace thallo::gui
