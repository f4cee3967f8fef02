// The program apart from main(), for tests.
#pragma once

#include <QApplication>

namespace thallo::gui {

// Reads the command line, shows the window and runs until it is closed. Returns the exit code: 0; 1
// when a picture could not be made; 2 for a command line that cannot be followed, as one that asks
// for a window where there is no display, or for a picture of a problem that cannot be opened.
int run(QApplication& app, bool isWithoutDisplay);

}  // namespace thallo::gui
