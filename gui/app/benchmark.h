// Times what a user waits for, on every problem, and prints a table: from a change of the schedule to
// its prediction, from a problem or an expansion to a graph that is laid out, the start of the window,
// and the memory of the process.
#pragma once

#include <QElapsedTimer>

#include "gui/app/main_window.h"

namespace thallo::gui {

// `sinceStart` has run since the program began. Returns the exit code: 1 if a problem does not open.
int runBenchmark(MainWindow& window, Workspace& workspace, const QElapsedTimer& sinceStart,
                 const QString& device);

}  // namespace thallo::gui
