// thallo-explorer: the desktop app.
#include <string>
#include <vector>

#include <QApplication>

#include "gui/app/display.h"
#include "gui/app/launch_options.h"
#include "gui/app/run.h"

int main(int argc, char** argv) {
  std::vector<std::string> arguments = thallo::gui::argumentsBesideQt({argv, argv + argc});
  std::vector<char*> words;
  for (std::string& argument : arguments) words.push_back(argument.data());
  words.push_back(nullptr);
  int count = static_cast<int>(arguments.size());
  const bool mayBeOffscreen = thallo::gui::allowOffscreen(arguments);
  QApplication app(count, words.data());
  return thallo::gui::run(app, mayBeOffscreen && thallo::gui::isOffscreen());
}
