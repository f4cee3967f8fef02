// Ends a child process without waiting for it.
#pragma once

#include <QProcess>

namespace thallo::gui {

// Kills a process whose output is no longer needed, and deletes the object when the process has
// ended. A process with much memory takes long to end. Only the application's end waits for that;
// the window does not.
void endProcess(QProcess* process);

}  // namespace thallo::gui
