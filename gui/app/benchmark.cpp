#include "gui/app/benchmark.h"

#include <algorithm>
#include <cstdio>
#include <functional>
#include <optional>

#include <QCoreApplication>
#include <QEventLoop>
#include <QFile>

#include "gui/models/text.h"

namespace thallo::gui {
namespace {

// Milliseconds until the condition holds; absent when it does not within two minutes.
std::optional<double> waitFor(const std::function<bool()>& condition) {
  QElapsedTimer timer;
  timer.start();
  while (!condition()) {
    if (timer.elapsed() > 120'000) return std::nullopt;
    QCoreApplication::processEvents(QEventLoop::AllEvents | QEventLoop::WaitForMoreEvents, 5);
  }
  return static_cast<double>(timer.nsecsElapsed()) / 1e6;
}

QString milliseconds(const std::optional<double>& ms) {
  return ms ? significant(*ms) : QStringLiteral("–");
}

double peakMegabytes() {
  QFile status("/proc/self/status");
  if (!status.open(QIODevice::ReadOnly)) return 0;
  for (const QByteArray& line : status.readAll().split('\n'))
    if (line.startsWith("VmHWM:")) return line.simplified().split(' ').value(1).toDouble() / 1024;
  return 0;
}

class ProblemBenchmark {
 public:
  ProblemBenchmark(Workspace& workspace, const ProblemRequest& request)
      : m_workspace(workspace), m_request(request) {}

  // False when the problem does not open.
  bool run() {
    m_workspace.open(m_request, "default");
    const auto opened = waitFor([this] {
      return m_workspace.problems().problem().state == RemoteState::Failed ||
             m_workspace.schedule().schedule().isReady();
    });
    if (!m_workspace.schedule().schedule().isReady()) {
      std::fprintf(stderr, "%s: %s\n", qUtf8Printable(m_request.problem),
                   qUtf8Printable(m_workspace.problems().problem().error));
      return false;
    }
    const auto laidOut = waitFor([this] { return isLaidOut(); });
    waitFor([this] {
      return m_workspace.schedule().sites().isReady() &&
             !m_workspace.analysisRunner().isBusy("weights");
    });
    const auto edited = timeEdit();
    const auto expanded = timeExpansion();
    std::printf("%-34s %9s %9s %9s %9s %6zu\n", qUtf8Printable(m_request.problem),
                qUtf8Printable(milliseconds(opened)), qUtf8Printable(milliseconds(edited)),
                qUtf8Printable(milliseconds(laidOut)), qUtf8Printable(milliseconds(expanded)),
                m_workspace.graph().graph().value->nodes.size());
    std::fflush(stdout);
    return true;
  }

 private:
  bool isLaidOut() {
    const auto& graph = m_workspace.graph().graph();
    return graph.isReady() &&
           graph.value->scheduleHash == m_workspace.schedule().schedule().value->hash;
  }

  // The longest of some changes of different kinds.
  std::optional<double> timeEdit() {
    constexpr std::size_t MostEdits = 12;
    std::optional<double> longest;
    const auto table = m_workspace.schedule().sites().value;
    const std::size_t stride = std::max<std::size_t>(1, table->sites.size() / MostEdits);
    for (std::size_t i = 0; i < table->sites.size(); i += stride) {
      const SiteRow& site = table->sites[i];
      const auto other = std::ranges::find_if(site.choices, [&](const ChoiceRow& choice) {
        return choice.illegal.isEmpty() && !choice.isRepeated &&
               choice.label != site.choices[site.chosen].label;
      });
      if (other == site.choices.end()) continue;
      const QString before = m_workspace.schedule().schedule().value->hash;
      bool isRefused = false;
      const auto connection = QObject::connect(&m_workspace.schedule(), &ScheduleModel::refused,
                                               [&](const QString&) { isRefused = true; });
      m_workspace.schedule().choose(site.construct, site.name, other->label);
      const auto took = waitFor([&] {
        const auto& now = m_workspace.schedule().schedule();
        return now.isReady() && (now.value->hash != before || isRefused);
      });
      QObject::disconnect(connection);
      if (took && !isRefused) longest = std::max(longest.value_or(0), *took);
    }
    waitFor([this] { return isLaidOut(); });
    return longest;
  }

  // Of everything that can be expanded, as far as the graph takes it.
  std::optional<double> timeExpansion() {
    QStringList all;
    for (const GraphNode& node : m_workspace.graph().graph().value->nodes)
      if (node.canExpand) all << node.id;
    if (all.isEmpty()) return std::nullopt;
    m_workspace.graph().setExpanded(all);
    return waitFor([this] { return isLaidOut(); });
  }

  Workspace& m_workspace;
  ProblemRequest m_request;
};

}  // namespace

int runBenchmark(MainWindow& window, Workspace& workspace, const QElapsedTimer& sinceStart,
                 const QString& device) {
  window.show();
  QCoreApplication::processEvents();
  const double toWindow = static_cast<double>(sinceStart.nsecsElapsed()) / 1e6;
  if (!waitFor([&] { return workspace.problems().catalog().isReady(); })) return 1;
  const double toCatalog = static_cast<double>(sinceStart.nsecsElapsed()) / 1e6;
  std::printf("start to window %.0f ms, to the problems %.0f ms\n\n", toWindow, toCatalog);
  std::printf("%-34s %9s %9s %9s %9s %6s\n", "milliseconds until", "opened", "edited", "laid out",
              "expanded", "nodes");
  bool isWell = true;
  const auto catalog = workspace.problems().catalog().value;
  for (const ProblemCard& card : catalog->problems)
    isWell = ProblemBenchmark(workspace, {.problem = card.name, .device = device}).run() && isWell;
  std::printf("\npeak memory %.0f MB\n", peakMegabytes());
  return isWell ? 0 : 1;
}

}  // namespace thallo::gui
