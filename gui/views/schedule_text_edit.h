// The schedule as text, to be edited: with line numbers, faults underlined, and the line that
// decides at the selected site marked. What is typed is set after a pause. The text is replaced
// only by a schedule that means something else, so that comments and line breaks stay.
//
// Ctrl+Z takes back what was typed since the text was last replaced; when there is nothing of that,
// the last change of the schedule.
#pragma once

#include <QPlainTextEdit>
#include <QTimer>

#include "gui/models/workspace.h"
#include "gui/views/schedule_completer.h"
#include "gui/views/schedule_highlighter.h"

class QHelpEvent;

namespace thallo::gui {

class ScheduleTextEdit final : public QPlainTextEdit {
  Q_OBJECT

 public:
  explicit ScheduleTextEdit(Workspace& workspace, QWidget* parent = nullptr);

  // For the margin, which paints itself by this editor.
  int marginWidth() const;
  void paintMargin(QPaintEvent* event);

 protected:
  bool event(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void changeEvent(QEvent* event) override;
  void focusOutEvent(QFocusEvent* event) override;

 private:
  // Is what stands here not yet what the schedule was asked to be?
  bool isTyping() const { return m_pause.isActive(); }
  // The text that the model has: of the schedule, or as typed while it has faults.
  const QString& modelText() const;
  void onTextChanged();
  void submit();
  // What was typed, without the pause.
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
  QString m_known;      // the text when it was last looked at
  bool m_isReplacing = false;
};

}  // namespace thallo::gui
