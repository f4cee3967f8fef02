#include "gui/app/display.h"

#include <algorithm>

#include <fmt/format.h>
#include <QGuiApplication>

namespace thallo::gui {

bool allowOffscreen(const std::vector<std::string>& arguments) {
  const bool isChosen = !qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM") ||
                        std::ranges::any_of(arguments, [](const std::string& argument) {
                          return argument == "-platform" || argument == "--platform";
                        });
  // On Wayland, Qt chooses the better fallback.
  if (isChosen || !qEnvironmentVariableIsEmpty("WAYLAND_DISPLAY")) return false;
  qputenv("QT_QPA_PLATFORM",
          qEnvironmentVariableIsEmpty("DISPLAY") ? "offscreen" : "xcb;offscreen");
  return true;
}

bool isOffscreen() { return QGuiApplication::platformName() == QLatin1String("offscreen"); }

std::string missingDisplay() {
  if (qEnvironmentVariableIsEmpty("DISPLAY")) return "neither DISPLAY nor WAYLAND_DISPLAY is set";
  return fmt::format("DISPLAY={} cannot be reached", qgetenv("DISPLAY").toStdString());
}

}  // namespace thallo::gui
