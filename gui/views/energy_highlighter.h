// Colors the text of an energy: the names that it declares in the colors of their kinds, as on all
// pages, and numbers, functions, keywords and comments.
#pragma once

#include <vector>

#include <QHash>
#include <QSyntaxHighlighter>

#include "gui/models/problem_data.h"

namespace thallo::gui {

// How an energy is written: in Lua, by its author, or as Thallo prints it.
enum class EnergyForm { Written, Understood };

class EnergyHighlighter final : public QSyntaxHighlighter {
  Q_OBJECT

 public:
  using QSyntaxHighlighter::QSyntaxHighlighter;

  // Does not color again what is there: to be called before a text is set, or with rehighlight().
  void setEnergy(EnergyForm form, const std::vector<EnergySymbol>& symbols);

 protected:
  void highlightBlock(const QString& text) override;

 private:
  EnergyForm m_form = EnergyForm::Understood;
  QHash<QString, QString> m_kinds;  // by name
};

}  // namespace thallo::gui
