// Shows a kernel: what it is, which directives asked for it, what its arguments mean, and its text.
// Hovering over an argument in the text shows what it is. The types and helper functions above the
// kernel are folded.
#pragma once

#include <memory>
#include <set>
#include <vector>

#include <QLabel>
#include <QToolButton>
#include <QWidget>

#include "gui/kernels/kernel_data.h"
#include "gui/kernels/other_kernels.h"

namespace thallo::gui {

class CodeView;
class RuleHighlighter;

class KernelCode final : public QWidget {
  Q_OBJECT

 public:
  KernelCode();

  // Shows the step with that label; nothing if there is none. If texts of another schedule are
  // given, also shows how its text differs from theirs.
  void setStep(const std::shared_ptr<const KernelSnapshot>& snapshot, const QString& label,
               const std::shared_ptr<const OtherTexts>& other);
  // Lights the lines of the text that come from these lines of the energy.
  void setLinked(const std::set<int>& lines);

 Q_SIGNALS:
  // The user went to a line of the text that comes from this line of the energy.
  void lineChosen(int line);

 private:
  void showFields();
  // A kernel of a schedule. It has no text if it is absent or a library's.
  struct Text {
    QString preamble, text;
    bool isThere = false;

    friend bool operator==(const Text&, const Text&) = default;
  };
  // Shows the text and its difference from `before`. If `other`, the name of the other schedule,
  // is empty, nothing is compared.
  void showText(const Text& text, const Text& before, const QString& other);
  void onPreambleToggled();
  void layOutText();
  void stripe();
  void light();
  // The lines of the energy that a shown line comes from.
  std::vector<int> linesOf(int line) const;
  QString explain(const QString& word) const;

  QLabel* m_title;
  QLabel* m_facts;
  QLabel* m_remedy;
  QLabel* m_askers;
  QLabel* m_fields;
  QLabel* m_change;
  QToolButton* m_preamble;
  CodeView* m_code;
  RuleHighlighter* m_highlighter;
  QString m_label, m_other;
  Text m_text, m_before;
  QStringList m_fieldTexts, m_arguments;
  std::vector<std::vector<int>> m_linesOf;  // of each line of m_text.text
  std::vector<int> m_ownLines;              // the line of m_text.text that a shown line is, or -1
  std::set<int> m_linked;
  int m_firstLine = 0, m_lastLine = -1;  // of the body
};

}  // namespace thallo::gui
