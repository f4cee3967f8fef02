// A kernel: what it is and who asked for it, what its arguments stand for, and its text. A word f0 of
// the text says which field it is when the mouse is on it.
#pragma once

#include <memory>

#include <QLabel>
#include <QWidget>

#include "gui/models/kernel_data.h"

namespace thallo::gui {

class CodeView;
class KernelHighlighter;

class KernelCode final : public QWidget {
  Q_OBJECT

 public:
  explicit KernelCode(QWidget* parent = nullptr);

  // Shows the step of that label; nothing where there is none.
  void setStep(const std::shared_ptr<const KernelSnapshot>& snapshot, const QString& label);

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void showText(const KernelRow& row);
  void stripe();
  QString explain(const QString& word) const;

  QLabel* m_title;
  QLabel* m_facts;
  QLabel* m_askers;
  QLabel* m_fields;
  CodeView* m_code;
  KernelHighlighter* m_highlighter;
  QString m_label, m_text;
  QStringList m_fieldTexts;
  int m_firstLine = 0, m_lastLine = -1;  // of the body
};

}  // namespace thallo::gui
