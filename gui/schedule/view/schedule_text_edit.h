// An editor of the schedule as text, with line numbers, underlined faults, and a mark on the line
// that decides at the selected site. Typed text is applied after a pause. The text is replaced only
// if the schedule changes its meaning, so that comments and line breaks are kept.
//
// Ctrl+Z undoes typing since the text was last replaced; once nothing of that is left, it undoes
// the last change of the schedule.
#pragma once

#include <QPlainTextEdit>

namespace thallo::gui {

class Workspace;

QPlainTextEdit* makeScheduleTextEdit(Workspace& workspace);

}  // namespace thallo::gui
