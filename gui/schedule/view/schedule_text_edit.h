// An editor of the schedule as text, with line numbers, underlined faults, and a mark on the line
// that decides at the selected site. Typed text is applied after a pause. The text is replaced only
// if the schedule changes its meaning, so that comments and line breaks are kept.
//
// Ctrl+Z undoes typing since the text was last replaced; once nothing of that is left, it undoes
// the last change of the schedule.
#pragma once

#include <QPlainTextEdit>
#include <QTimer>

#include "gui/workspace/workspace.h"

class QHelpEvent;

namespace thallo::gui {

class ScheduleCompleter;

class ScheduleHighlighter;

class ScheduleTextEdit final : public QPlainTextEdit {
  Q_OBJECT

 public:
  explicit ScheduleTextEdit(Workspace& workspace, QWidget* parent = nullptr);

  // For the margin, which is painted by this editor.
  int marginWidth() const;
  void paintMargin(QPaintEvent* event);

 protected:
  bool event(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void changeEvent(QEvent* event) override;
  void focusOutEvent(QFocusEvent* event) override;

 private:
  // True while the user is typing and the text has not been applied yet.
  bool isTyping() const { return m_pause.isActive(); }
  // Returns the text in the model: that of the schedule, or the typed one while it has faults.
  const QString& modelText() const;
  void onTextChanged();
  void submit();
  // Applies the typed text without waiting for the pause.
  void handOver();
  void refreshText();
  void refreshMarks();
  void onCursorMoved();
  int lineOfSelection() const;
  bool showFaultTip(QHelpEvent* event);

  Workspace& m_workspace;
  QTimer m_pause;
  QWidget* m_margin;
  ScheduleHighlighter* m_highlighter;
  ScheduleCompleter* m_completer;
  QStringList m_sites;  // by line
  QString m_known;      // the text at the last check
  bool m_isReplacing = false;
};

}  // namespace thallo::gui
