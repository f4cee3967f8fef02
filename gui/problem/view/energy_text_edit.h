// The text of an energy, to be edited. A list completes names: words of its language, and what the
// energy declares. It opens at Ctrl+Space and while a name is typed; Return and Tab take the marked
// word, Escape closes the list.
#pragma once

#include <vector>

#include <QCompleter>
#include <QPlainTextEdit>
#include <QStringListModel>

#include "gui/problem/problem_data.h"

namespace thallo::gui {

class EnergyTextEdit final : public QPlainTextEdit {
 public:
  EnergyTextEdit();

  void setWords(const EnergyWords& words, const std::vector<EnergySymbol>& symbols);

 protected:
  void keyPressEvent(QKeyEvent* event) override;

 private:
  // Returns what is typed of the name before the cursor.
  QString typedName() const;
  // Lists the words that begin with what is typed, if that has so many letters.
  void complete(int leastTyped);
  void insert(const QString& word);

  QStringListModel m_words;
  QCompleter m_completer;
};

}  // namespace thallo::gui
