// The program apart from main(), for tests.
#pragma once

#include <QApplication>

namespace thallo::gui {

// Reads the command line, shows the window and runs until it is closed. Returns the exit code: 0; 1
// when a picture could not be made; 2 for a command line that cannot be followed.
int run(QApplication& app);

}  // namespace thallo::gui
