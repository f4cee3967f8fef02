#include "gui/app/benchmark.h"

#include <ctime>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <functional>
#include <memory>
#include <optional>

#include <unistd.h>
#include <QCoreApplication>
#include <QElapsedTimer>
#include <QFile>
#include <QGraphicsView>
#include <QTemporaryDir>

#include "gui/app/benchmark_data.h"
#include "gui/app/benchmark_targets.h"
#include "gui/app/block_meter.h"
#include "gui/app/hand.h"
#include "gui/app/walk.h"
#include "gui/base/text.h"
#include "gui/space/space_reader.h"

namespace thallo::gui {
namespace {

constexpr std::size_t ManyNodes = 2'000, ManyCandidates = 100'000;
// The view of an expanded graph must be fast up to this number of nodes.
constexpr std::size_t ExpandedNodes = 600;

// The promised limits, with the worst measured values.
struct Targets {
  BenchmarkTarget window{.what = "start to window", .limit = 1'000};
  BenchmarkTarget edit{.what = "edit to prediction, the slowest edit", .limit = 100};
  BenchmarkTarget layout{.what = "overview laid out, the slowest problem", .limit = 1'000};
  BenchmarkTarget expansion{.what = "expanded view of ≤ 600 nodes laid out", .limit = 3'000};
  BenchmarkTarget pan{.what = "panning 2,000 nodes", .limit = 30, .unit = "fps", .isAtLeast = true};
  BenchmarkTarget zoom{
      .what = "zooming 2,000 nodes", .limit = 30, .unit = "fps", .isAtLeast = true};
  BenchmarkTarget space{.what = "100,000 candidates in table and plots", .limit = 1'000};
  BenchmarkTarget block{.what = "longest block of the window, on a walk through it", .limit = 50};
  BenchmarkTarget memory{.what = "peak memory", .limit = 500, .unit = "MB"};

  std::vector<BenchmarkTarget> all() const {
    return {window, edit, layout, expansion, pan, zoom, space, block, memory};
  }
};

double elapsed(const QElapsedTimer& timer) {
  return static_cast<double>(timer.nsecsElapsed()) / 1e6;
}

QString milliseconds(const std::optional<double>& ms) {
  return ms ? significant(*ms) : QStringLiteral("–");
}

// Returns the age of this process in milliseconds; the system counts in hundredths of a second.
std::optional<double> sinceProcessStart() {
  QFile stat("/proc/self/stat");
  timespec now{};
  if (!stat.open(QIODevice::ReadOnly) || clock_gettime(CLOCK_BOOTTIME, &now) != 0)
    return std::nullopt;
  // The name may contain blanks, so fields are counted after it: the first one is field 3, the
  // start is field 22.
  const QByteArray line = stat.readAll();
  const QList<QByteArray> fields = line.mid(line.lastIndexOf(')') + 2).split(' ');
  const double start = fields.value(19).toDouble() / static_cast<double>(sysconf(_SC_CLK_TCK));
  return (static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9 - start) * 1e3;
}

std::optional<double> peakMegabytes() {
  QFile status("/proc/self/status");
  if (!status.open(QIODevice::ReadOnly)) return std::nullopt;
  for (const QByteArray& line : status.readAll().split('\n'))
    if (line.startsWith("VmHWM:")) return line.simplified().split(' ').value(1).toDouble() / 1024;
  return std::nullopt;
}

class ProblemBenchmark {
 public:
  ProblemBenchmark(Workspace& workspace, const ProblemRequest& request)
      : m_workspace(workspace), m_request(request) {}

  // Returns false if the problem does not open.
  bool run(Targets& targets) {
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
    const std::size_t numNodes = graph()->nodes.size();
    std::printf("%-34s %9s %9s %9s %9s %6zu\n", qUtf8Printable(m_request.problem),
                qUtf8Printable(milliseconds(opened)), qUtf8Printable(milliseconds(edited)),
                qUtf8Printable(milliseconds(laidOut)), qUtf8Printable(milliseconds(expanded)),
                numNodes);
    std::fflush(stdout);
    targets.edit.add(edited, m_request.problem);
    targets.layout.add(laidOut, m_request.problem);
    if (numNodes <= ExpandedNodes) targets.expansion.add(expanded, m_request.problem);
    return true;
  }
  // Returns the current graph.
  const std::shared_ptr<const GraphSnapshot>& graph() const {
    return m_workspace.graph().graph().value;
  }

 private:
  bool isLaidOut() {
    const auto& graph = m_workspace.graph().graph();
    return graph.isReady() &&
           graph.value->scheduleHash == m_workspace.schedule().schedule().value->hash;
  }

  // Returns the longest of several changes of different kinds, made one right after the other.
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

  // Expands everything that can be expanded, as far as the graph permits, and returns the time.
  std::optional<double> timeExpansion() {
    QStringList all;
    for (const GraphNode& node : graph()->nodes)
      if (node.canExpand) all << node.id;
    if (all.isEmpty()) return std::nullopt;
    m_workspace.graph().setExpanded(all);
    return waitFor([this] { return isLaidOut(); });
  }

  Workspace& m_workspace;
  ProblemRequest m_request;
};

// Counts how often a widget is painted.
class PaintCounter final : public QObject {
 public:
  explicit PaintCounter(QWidget& widget) { widget.installEventFilter(this); }
  int count() const { return m_count; }

 protected:
  bool eventFilter(QObject* /*watched*/, QEvent* event) override {
    if (event->type() == QEvent::Paint) ++m_count;
    return false;
  }

 private:
  int m_count = 0;
};

// Moves and zooms the view of the graph as a user does, by mouse and wheel, with a paint after each
// event.
class GraphFrames {
 public:
  explicit GraphFrames(QWidget& viewport) : m_viewport(viewport) {}

  // Zooms from the whole graph to nodes of full size, and back.
  double zoom() {
    return framesPerSecond(
        [this](int frame) { turnWheel(m_viewport, frame % NumSteps < NumSteps / 2 ? 120 : -120); });
  }
  // Moves in circles, at twice the scale that shows the whole graph.
  double pan() {
    for (int i = 0; i < 4; ++i) turnWheel(m_viewport, 120);
    const QPoint middle = m_viewport.rect().center();
    const auto at = [&](int frame) {
      const double angle = 0.1 * frame;
      return middle + QPoint(static_cast<int>(200 * std::cos(angle)),
                             static_cast<int>(200 * std::sin(angle)));
    };
    pressMouse(m_viewport, at(0));
    const double result =
        framesPerSecond([&](int frame) { moveMouse(m_viewport, at(frame), Qt::LeftButton); });
    releaseMouse(m_viewport, at(0));
    return result;
  }

 private:
  static constexpr int NumSteps = 24, NumFrames = 96;

  double framesPerSecond(const std::function<void(int)>& move) {
    QCoreApplication::processEvents();
    const PaintCounter paints(m_viewport);
    QElapsedTimer timer;
    timer.start();
    for (int frame = 0; frame < NumFrames; ++frame) {
      move(frame);
      QCoreApplication::processEvents();
    }
    return paints.count() / (elapsed(timer) / 1e3);
  }
  QWidget& m_viewport;
};

void benchmarkFrames(MainWindow& window, Workspace& workspace, const GraphSnapshot& graph,
                     Targets& targets) {
  window.showPage("graph");
  workspace.graph().show(manyNodes(graph, ManyNodes));
  auto* view = window.findChild<QGraphicsView*>("graphView");
  QCoreApplication::processEvents();
  GraphFrames frames(*view->viewport());
  targets.zoom.add(frames.zoom());
  targets.pan.add(frames.pan());
}

// Times the way from results to a painted page.
void benchmarkSpace(MainWindow& window, Workspace& workspace, Targets& targets) {
  window.showPage("space");
  waitFor([&] { return window.currentPage().isSettled(); });
  DeviceReport report = manyCandidates(ManyCandidates);
  QElapsedTimer timer;
  timer.start();
  addEffects(report);
  SpaceSnapshot space = spaceSnapshot(report);
  const double prepared = elapsed(timer);
  workspace.space().show(std::move(space));
  const double shown = elapsed(timer);
  window.currentPage().grab();
  targets.space.add(elapsed(timer), QStringLiteral("prepared in %1, shown in %2, painted in %3 ms")
                                        .arg(significant(prepared), significant(shown - prepared),
                                             significant(elapsed(timer) - shown)));
}

// Walks through the app with an energy of one's own, and takes how long the window did not answer.
bool benchmarkWalk(MainWindow& window, Workspace& workspace, const QString& folder,
                   Targets& targets) {
  Walk walk(window, workspace, folder);
  BlockMeter meter;
  bool isWell = true;
  std::printf("%-34s %9s %9s\n", "steps of a walk", "ms", "longest");
  for (const Walk::Step& step : walk.steps()) {
    QElapsedTimer timer;
    timer.start();
    meter.begin();
    const QString fault = step.go();
    std::printf("%-34s %9s %9s  %s\n", qUtf8Printable(step.name),
                qUtf8Printable(milliseconds(elapsed(timer))),
                qUtf8Printable(milliseconds(meter.longest().ms)),
                qUtf8Printable(fault.isEmpty() ? meter.longest().text() : fault));
    targets.block.add(meter.longest().ms, step.name + ", " + meter.longest().text());
    isWell = isWell && fault.isEmpty();
    if (!fault.isEmpty()) break;
  }
  workspace.space().openStore({});
  window.showPage("problem");
  std::printf("\n");
  return isWell;
}

}  // namespace

int runBenchmark(MainWindow& window, Workspace& workspace, const QString& device) {
  Targets targets;
  window.show();
  QCoreApplication::processEvents();
  targets.window.add(sinceProcessStart());
  if (!waitFor([&] { return workspace.problems().catalog().isReady(); })) return 1;
  const auto catalog = workspace.problems().catalog().value;
  const QTemporaryDir folder;  // is searched for problems from then on
  bool isWell = benchmarkWalk(window, workspace, folder.path(), targets);
  std::printf("%-34s %9s %9s %9s %9s %6s\n", "milliseconds until", "opened", "edited", "laid out",
              "expanded", "nodes");
  std::shared_ptr<const GraphSnapshot> largest;
  for (const ProblemCard& card : catalog->problems) {
    ProblemBenchmark benchmark(workspace, {.problem = card.name, .device = device});
    isWell = benchmark.run(targets) && isWell;
    const auto& graph = benchmark.graph();
    if (graph && (!largest || graph->nodes.size() > largest->nodes.size())) largest = graph;
  }
  if (largest) {
    benchmarkFrames(window, workspace, *largest, targets);
    benchmarkSpace(window, workspace, targets);
  }
  targets.memory.add(peakMegabytes());
  std::printf("\n%s", qUtf8Printable(targetsText(targets.all())));
  return isWell ? 0 : 1;
}

}  // namespace thallo::gui
