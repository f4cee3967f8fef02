// The command line of thallo-explorer.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <QSize>
#include <QStringList>

#include "core/base/diagnostic.h"
#include "gui/models/problem_data.h"
#include "gui/views/theme.h"

namespace thallo::gui {

struct LaunchOptions {
  std::optional<ProblemRequest> problem;
  QString schedule = "auto";
  QString page = "problem";
  bool isPageGiven = false;
  QString store, session;
  QStringList besideStores;
  std::optional<Theme> theme;
  QSize size = {1440, 900};
  QString device;  // of --device, also without a problem
  bool isBenchmark = false;
  QString screenshot;  // a file; the program ends when it is written
  std::vector<std::string> pluginPath;
};

// `arguments` as QApplication must get them: it takes "--session FILE" for an option of its own, of
// the session manager, and leaves "--session=FILE" alone.
std::vector<std::string> argumentsBesideQt(std::vector<std::string> arguments);

// Ends the program by itself for --help and --version. Fails for what is no option, and for a value
// that is none, with what would be legal.
Expected<LaunchOptions> readLaunchOptions(const QStringList& arguments);

}  // namespace thallo::gui
