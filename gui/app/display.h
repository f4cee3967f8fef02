// Without a display, pictures can still be made, and a window is refused with a sentence; Qt alone
// would abort.
#pragma once

#include <string>
#include <vector>

namespace thallo::gui {

// Must be called before the QApplication is made, with the arguments of the program. Lets Qt draw
// offscreen if no display can be reached, unless the user has chosen a platform. Returns true if it
// made this choice for Qt; isOffscreen() tells later which platform is used.
bool allowOffscreen(const std::vector<std::string>& arguments);

// True if Qt uses the offscreen platform.
bool isOffscreen();

// Says which display could not be reached: "DISPLAY=:7 cannot be reached".
std::string missingDisplay();

}  // namespace thallo::gui
