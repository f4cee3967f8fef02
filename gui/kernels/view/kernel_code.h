// Shows a kernel: what it is, which directives asked for it, what its arguments mean, and its text.
// Hovering over a word such as f0 in the text shows which field it is.
#pragma once

#include <memory>

#include <QLabel>
#include <QWidget>

#include "gui/kernels/kernel_data.h"
#include "gui/kernels/other_kernels.h"

namespace thallo::gui {

class CodeView;
class KernelHighlighter;

class KernelCode final : public QWidget {
  Q_OBJECT

 public:
  explicit KernelCode(QWidget* parent = nullptr);

  // Shows the step with that label; nothing if there is none. If texts of another schedule are
  // given, also shows how its text differs from theirs.
  void setStep(const std::shared_ptr<const KernelSnapshot>& snapshot, const QString& label,
               const std::shared_ptr<const OtherTexts>& other);

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void showFields();
  // Shows the text and its difference from `before`; a text is null if there is none. If `other`,
  // the name of the other schedule, is empty, nothing is compared.
  void showText(const QString* text, const QString* before, const QString& other);
  void stripe();
  QString explain(const QString& word) const;

  QLabel* m_title;
  QLabel* m_facts;
  QLabel* m_remedy;
  QLabel* m_askers;
  QLabel* m_fields;
  QLabel* m_change;
  CodeView* m_code;
  KernelHighlighter* m_highlighter;
  QString m_label, m_text, m_before, m_other;
  QStringList m_fieldTexts;
  int m_firstLine = 0, m_lastLine = -1;  // of the body
};

}  // namespace thallo::gui
