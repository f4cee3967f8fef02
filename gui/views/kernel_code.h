// A kernel: what it is and who asked for it, what its arguments stand for, and its text. A word f0
// of the text says which field it is when the mouse is on it.
#pragma once

#include <memory>

#include <QLabel>
#include <QWidget>

#include "gui/models/kernel_data.h"
#include "gui/models/other_kernels.h"

namespace thallo::gui {

class CodeView;
class KernelHighlighter;

class KernelCode final : public QWidget {
  Q_OBJECT

 public:
  explicit KernelCode(QWidget* parent = nullptr);

  // Shows the step of that label; nothing where there is none. With the texts of another schedule:
  // how its text differs from the one there.
  void setStep(const std::shared_ptr<const KernelSnapshot>& snapshot, const QString& label,
               const std::shared_ptr<const OtherTexts>& other);

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void showFields();
  // The text, and that in the schedule that it is compared with; null where there is none. Without
  // a name of that schedule nothing is compared.
  void showText(const QString* text, const QString* before, const QString& other);
  void stripe();
  QString explain(const QString& word) const;

  QLabel* m_title;
  QLabel* m_facts;
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
