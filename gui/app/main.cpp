// thallo-explorer: the desktop app.

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <QApplication>
#include <QDir>
#include <QGuiApplication>
#include <QSettings>
#include <QStandardPaths>

#include "core/base/option_text.h"
#include "gui/app/launch_options.h"
#include "gui/app/main_window.h"
#include "gui/app/screenshot.h"
#include "gui/base/text.h"

namespace thallo::gui {
namespace {

int refuse(const QString& why, int code) {
  std::fprintf(stderr, "thallo-explorer: %s\n", qUtf8Printable(why));
  return code;
}

// Without a display, pictures can still be made, and a window is refused with a sentence; Qt alone
// would abort. Must be called before the QApplication is made, with the arguments of the program.
// Lets Qt draw offscreen if no display can be reached, unless the user has chosen a platform.
// Returns true if it made this choice for Qt; isOffscreen() tells later which platform is used.
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

// True if Qt uses the offscreen platform.
bool isOffscreen() { return QGuiApplication::platformName() == QLatin1String("offscreen"); }

// Says which display could not be reached: "DISPLAY=:7 cannot be reached".
std::string missingDisplay() {
  if (qEnvironmentVariableIsEmpty("DISPLAY")) return "neither DISPLAY nor WAYLAND_DISPLAY is set";
  return fmt::format("DISPLAY={} cannot be reached", qgetenv("DISPLAY").toStdString());
}

// Names an option in messages by the label of its field; most fields are labelled with the option's
// own name.
std::string fieldText(std::string_view id, std::string_view value) {
  static const std::map<std::string_view, const char*> Labels = {
      {"sample", QT_TR_NOOP("Schedules")},
      {"search", QT_TR_NOOP("Search")},
      {"space", QT_TR_NOOP("Space")},
      {"device", QT_TR_NOOP("Device")}};
  const auto label = Labels.find(id);
  const QString text = label == Labels.end() ? toQt(id) : QObject::tr(label->second);
  return (value.empty() ? text : QStringLiteral("%1=%2").arg(text, toQt(value))).toStdString();
}

// The command line program is installed in the same folder as the app.
QStringList workerCommand() {
  return {QDir(QCoreApplication::applicationDirPath()).filePath("thallo"), "worker"};
}

Theme themeToBeginWith(const LaunchOptions& options) {
  if (options.theme) return *options.theme;
  return QSettings().value("theme").toString() == "dark" ? Theme::Dark : Theme::Light;
}

// The folder where what a person has edited is kept. Screenshots do not show it.
QString folderOf(const QString& what, const LaunchOptions& options) {
  if (!options.screenshot.isEmpty()) return {};
  return QDir(QStandardPaths::writableLocation(QStandardPaths::AppDataLocation)).filePath(what);
}

// Ends the program if the screenshot cannot show what was requested. The exit code is that of a
// wrong command line: only after a while is it known that a problem, option, device or schedule
// does not exist.
void endWhenRefused(Workspace& workspace) {
  const auto end = [](const QString& why) { QCoreApplication::exit(refuse(why, 2)); };
  const ProblemModel& problems = workspace.problems();
  QObject::connect(
      &problems, &ProblemModel::problemChanged, qApp,
      [&problems, end] {
        if (problems.problem().state == RemoteState::Failed) end(problems.problem().error);
      },
      Qt::QueuedConnection);
  QObject::connect(&workspace.schedule(), &ScheduleModel::refused, qApp, end, Qt::QueuedConnection);
}

// Reads the command line, shows the window and runs until it is closed. Returns the exit code: 0; 1
// if a picture could not be made; 2 if the command line cannot be followed, for example because it
// asks for a window without a display, or for a picture of a problem that cannot be opened.
int run(QApplication& app, bool isWithoutDisplay) {
  set_option_spelling(fieldText);
  QApplication::setOrganizationName("Thallo");
  QApplication::setApplicationName("thallo-explorer");
  const auto options = readLaunchOptions(QApplication::arguments());
  if (!options) return refuse(toQt(options.error()), 2);
  if (isWithoutDisplay && options->screenshot.isEmpty()) {
    return refuse(QObject::tr("no display for a window: %1 (--screenshot needs none)")
                      .arg(toQt(missingDisplay())),
                  2);
  }
  setTheme(themeToBeginWith(*options));
  Workspace workspace({.pluginPath = options->pluginPath,
                       .workerCommand = workerCommand(),
                       .store = options->store,
                       .besideStores = options->besideStores,
                       .shelf = folderOf("schedules", *options),
                       .energyCopies = folderOf("energies", *options)});
  MainWindow window(workspace);
  window.resize(options->size);
  if (!window.showPage(options->page)) {
    QStringList legal;
    for (const Page* page : window.pages()) legal.append(page->id());
    return refuse(QObject::tr("no page '%1' (legal: %2)").arg(options->page, legal.join(", ")), 2);
  }
  if (!options->screenshot.isEmpty()) endWhenRefused(workspace);
  workspace.problems().rescan();
  if (!options->session.isEmpty()) {
    const auto session = readSession(options->session);
    if (!session) return refuse(toQt(session.error()), 2);
    workspace.restore(*session);
    if (!options->isPageGiven) window.showPage(session->page);
  } else if (options->problem) {
    workspace.open(*options->problem, options->schedule);
  }
  window.show();
  // Pictures have it only if it is asked for.
  if (options->tourHint)
    window.tour().startWhenOpen(*options->tourHint);
  else if (options->screenshot.isEmpty())
    window.tour().startOnce();
  if (!options->screenshot.isEmpty()) {
    new Screenshot(window, options->screenshot, [](const QString& fault) {
      QCoreApplication::exit(fault.isEmpty() ? 0 : refuse(fault, 1));
    });
  }
  return app.exec();
}

}  // namespace
}  // namespace thallo::gui

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
