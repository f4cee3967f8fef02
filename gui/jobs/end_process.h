// Ends a child process without waiting for it.
#pragma once

#include <QProcess>

namespace thallo::gui {

// Kills a process that nobody listens to any more, and deletes it when it has ended. One that
// has much memory takes long to end; the window must not wait for that, only the
// application's end does.
void endProcess(QProcess* process);

}  // namespace thallo::gui
