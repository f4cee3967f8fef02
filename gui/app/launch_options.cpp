#include "gui/app/launch_options.h"

#include <QCommandLineParser>
#include <QRegularExpression>

#include "gui/app/tour.h"

namespace thallo::gui {
namespace {

Expected<QSize> readSize(const QString& text) {
  static const QRegularExpression Pattern("^(\\d{3,5})[x×](\\d{3,5})$");
  const auto match = Pattern.match(text);
  if (!match.hasMatch())
    return fail("--size takes WIDTHxHEIGHT in pixels, as 1440x900, not '{}'", text.toStdString());
  return QSize(match.captured(1).toInt(), match.captured(2).toInt());
}

Expected<std::vector<std::pair<QString, QString>>> readAssignments(const QStringList& texts) {
  std::vector<std::pair<QString, QString>> assignments;
  for (const QString& text : texts) {
    const qsizetype sign = text.indexOf('=');
    if (sign <= 0) return fail("--option takes NAME=VALUE, not '{}'", text.toStdString());
    assignments.emplace_back(text.left(sign), text.mid(sign + 1));
  }
  return assignments;
}

void declareOptions(QCommandLineParser& parser) {
  parser.setApplicationDescription(
      "Shows an energy's expressions, schedules, kernels and solves, and explores its schedules.");
  parser.addHelpOption();
  parser.addVersionOption();
  parser.addOptions({
      {"problem", "Open this problem; `thallo problems` lists them.", "NAME"},
      {"option", "An option of the problem, as often as wanted.", "NAME=VALUE"},
      {"device", "The device that times are predicted for: cpu, h200 ... [this machine]", "NAME"},
      {"model", "The cost model that times are predicted by. [Thallo's own choice]", "NAME"},
      {"schedule", "Begin with this schedule: auto, default, opt ... [auto]", "NAME"},
      {"page", "Show problem, graph, schedule, kernels, space, solve or linked. [problem]", "NAME"},
      {"store", "Show the measurements in this store; those of further ones beside them.", "FILE"},
      {"session", "Open a saved session.", "FILE"},
      {"theme", "light or dark. [as it was last]", "NAME"},
      {"size", "Of the window, in pixels. [1440x900]", "WxH"},
      {"screenshot", "Write a picture of the window when the page is ready, and end.", "FILE.png"},
      {"tour", "Show this hint of the tour, 1 to 5, once the problem is open.", "NUMBER"},
      {"plugin-path", "A folder with plugins, searched first; as often as wanted.", "FOLDER"},
  });
}

}  // namespace

std::vector<std::string> argumentsBesideQt(std::vector<std::string> arguments) {
  for (std::size_t i = 0; i + 1 < arguments.size(); ++i) {
    if (arguments[i] != "--session") continue;
    arguments[i] += '=' + arguments[i + 1];
    arguments.erase(arguments.begin() + static_cast<std::ptrdiff_t>(i) + 1);
  }
  return arguments;
}

Expected<LaunchOptions> readLaunchOptions(const QStringList& arguments) {
  QCommandLineParser parser;
  declareOptions(parser);
  if (!parser.parse(arguments)) return fail("{}", parser.errorText().toStdString());
  if (parser.isSet("help")) parser.showHelp(0);
  if (parser.isSet("version")) parser.showVersion();
  if (!parser.positionalArguments().isEmpty()) {
    return fail("what is '{}'? A problem is named by --problem",
                parser.positionalArguments().front().toStdString());
  }
  LaunchOptions options;
  if (parser.isSet("problem")) {
    THALLO_TRY(auto assignments, readAssignments(parser.values("option")));
    options.problem = ProblemRequest{.problem = parser.value("problem"), .options = assignments};
    if (parser.isSet("device")) options.problem->device = parser.value("device");
    options.problem->model = parser.value("model");
  } else {
    for (const char* name : {"option", "device", "model"})
      if (parser.isSet(name)) return fail("--{} is of a problem: name it by --problem", name);
  }
  if (parser.isSet("schedule")) options.schedule = parser.value("schedule");
  options.isPageGiven = parser.isSet("page");
  if (options.isPageGiven) options.page = parser.value("page");
  if (parser.isSet("theme")) {
    const QString theme = parser.value("theme");
    if (theme != "light" && theme != "dark")
      return fail(
          Diagnostic{fmt::format("no theme '{}'", theme.toStdString()), {}, {"light", "dark"}});
    options.theme = theme == "dark" ? Theme::Dark : Theme::Light;
  }
  if (parser.isSet("size")) {
    THALLO_TRY(options.size, readSize(parser.value("size")));
  }
  if (parser.isSet("tour")) {
    const int hint = parser.value("tour").toInt();
    if (hint < 1 || hint > Tour::count())
      return fail("--tour takes the number of a hint, 1 to {}, not '{}'", Tour::count(),
                  parser.value("tour").toStdString());
    if (!options.problem && !parser.isSet("session"))
      return fail("--tour is about a problem: name it by --problem");
    options.tourHint = hint - 1;
  }
  const QStringList stores = parser.values("store");
  options.store = stores.value(0);
  options.besideStores = stores.mid(1);
  for (const char* file : {"store", "session", "screenshot"})
    if (parser.values(file).contains(QString())) return fail("--{} takes a file, not ''", file);
  options.session = parser.value("session");
  options.screenshot = parser.value("screenshot");
  for (const QString& folder : parser.values("plugin-path"))
    options.pluginPath.push_back(folder.toStdString());
  return options;
}

}  // namespace thallo::gui
