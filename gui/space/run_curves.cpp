#include "gui/space/run_curves.h"

#include <algorithm>
#include <utility>

#include <QObject>

#include "core/explore/report/search_curves.h"
#include "gui/base/text.h"

namespace thallo::gui {
namespace {

// So many have colors that people can tell apart.
constexpr std::size_t MostRuns = 8;

RunCurve runCurve(const SearchCurves& kind, const SearchCurve& run) {
  RunCurve curve{.search = toQt(kind.search),
                 .label = toQt(kind.label),
                 .steps = {},
                 .numMeasured = run.num_measured,
                 .seconds = run.seconds,
                 .isOpen = run.ending == SearchEnding::Open,
                 .figures = toQt(figures_text(run.figures))};
  if (kind.runs.size() > 1) curve.label = QObject::tr("%1, seed %2").arg(curve.label).arg(run.seed);
  for (std::size_t i = 0; i < run.best.size(); ++i) {
    const BestPoint& point = run.best[i];
    curve.steps.push_back({point.measured, point.at, point.best, toQt(run.schedules[i])});
  }
  return curve;
}

}  // namespace

QString RunCurve::summary() const {
  return QObject::tr("%1: %2 after %3 schedules in %4")
      .arg(label, secondsText(steps.back().seconds), countText(static_cast<double>(numMeasured)),
           secondsText(seconds));
}

std::vector<RunCurve> runCurves(std::vector<SearchRunRecord> runs, ResultKind kind) {
  std::vector<RunCurve> curves;
  for (const SearchCurves& its : recorded_curves(std::move(runs), kind).kinds)
    for (const SearchCurve& run : its.runs) curves.push_back(runCurve(its, run));
  if (curves.size() > MostRuns)
    curves.erase(curves.begin(), curves.end() - static_cast<std::ptrdiff_t>(MostRuns));
  return curves;
}

}  // namespace thallo::gui
