// Parses the command line of thallo-explorer.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <QSize>
#include <QStringList>

#include "core/base/diagnostic.h"
#include "gui/problem/problem_data.h"
#include "gui/widgets/theme.h"

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
  std::optional<int> tourHint;  // from --tour, counted from 0
  QString screenshot;           // a file; the program ends once it is written
  std::vector<std::string> pluginPath;
};

// Returns `arguments` in the form that QApplication must get: it interprets "--session FILE" as an
// option of its own (of the session manager), but ignores "--session=FILE".
std::vector<std::string> argumentsBesideQt(std::vector<std::string> arguments);

// Exits the program for --help and --version. Fails for an unknown option or an illegal value, and
// says what would be legal.
Expected<LaunchOptions> readLaunchOptions(const QStringList& arguments);

}  // namespace thallo::gui
