#include "gui/space/space_data.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <QHash>
#include <QObject>

#include "gui/base/text.h"

namespace thallo::gui {
namespace {

bool hasWord(const Candidate& candidate, const QString& word) {
  const auto has = [&](std::string_view text) {
    return toQt(text).contains(word, Qt::CaseInsensitive);
  };
  const ScheduleResult* outcome = candidate.outcome();
  return has(candidate.text) || has(candidate.hash) || (candidate.index && has(*candidate.index)) ||
         (outcome != nullptr && (has(outcome->reason) || has(to_string(outcome->status))));
}

// So many runs have colors that people can tell apart.
constexpr std::size_t MostRuns = 8;

}  // namespace

QString RunCurve::summary() const {
  return QObject::tr("%1: %2 after %3 schedules in %4")
      .arg(label, secondsText(curve.best.back().best), countText(curve.num_measured),
           secondsText(curve.seconds));
}

std::vector<RunCurve> runCurves(std::vector<SearchRunRecord> runs, ResultKind kind) {
  std::vector<RunCurve> curves;
  for (const SearchCurves& its : recorded_curves(std::move(runs), kind)) {
    for (const SearchCurve& run : its.runs) {
      const QString seed = its.runs.size() > 1 ? QObject::tr(", seed %1").arg(run.seed) : QString();
      curves.push_back({toQt(its.label) + seed, run});
    }
  }
  if (curves.size() > MostRuns) curves.erase(curves.begin(), curves.end() - MostRuns);
  return curves;
}

std::optional<std::size_t> SpaceSnapshot::find(const QString& wanted) const {
  const auto found = std::ranges::find(hash, wanted);
  if (found == hash.end()) return std::nullopt;
  return static_cast<std::size_t>(found - hash.begin());
}

QString SpaceSnapshot::text(std::size_t candidate) const {
  return toQt(candidates[candidate].text).trimmed();
}

QString SpaceSnapshot::failure(std::size_t candidate) const {
  const ScheduleResult* outcome = candidates[candidate].outcome();
  if (outcome == nullptr || outcome->is_ok()) return {};
  return toQt(to_string(outcome->status)) + ": " + toQt(outcome->reason);
}

std::optional<std::size_t> SpaceSnapshot::best() const {
  if (byTime.empty()) return std::nullopt;
  return byTime.front();
}

TimeColumn timesOn(const SpaceSnapshot& there, const SpaceSnapshot& here) {
  QHash<QString, double> secondsThere;
  for (const std::size_t i : there.byTime) secondsThere.insert(there.hash[i], there.seconds[i]);
  TimeColumn column{.name = there.device.name, .isPredicted = false};
  std::vector<double> x, y;
  for (std::size_t i = 0; i < here.size(); ++i) {
    const double seconds =
        secondsThere.value(here.hash[i], std::numeric_limits<double>::quiet_NaN());
    column.seconds.push_back(seconds);
    if (std::isnan(seconds) || std::isnan(here.seconds[i])) continue;
    x.push_back(here.seconds[i]);
    y.push_back(seconds);
  }
  column.rho = spearman_rho(x, y);
  column.numCompared = x.size();
  return column;
}

std::size_t numSignificant(const std::vector<SiteEffect>& effects) {
  return static_cast<std::size_t>(std::ranges::count_if(effects, &SiteEffect::is_significant));
}

QString effectsText(const std::vector<SiteEffect>& effects, std::size_t numShown) {
  if (effects.empty()) return {};
  const std::size_t numMatter = numSignificant(effects);
  if (numMatter == 0) return QObject::tr("No choice makes a difference that shows.");
  QStringList parts{QObject::tr("Share of variance explained by no other choice")};
  if (numShown < numMatter)
    parts << QObject::tr("%1 more sites explain less").arg(numMatter - numShown);
  if (numMatter < effects.size()) parts << QObject::tr("other sites none that shows");
  return parts.join("; ") + '.';
}

std::vector<bool> filtered(const SpaceSnapshot& space, const SpaceFilter& filter) {
  std::vector<bool> isShown(space.size(), true);
  for (const auto& [site, choice] : filter.choices) {
    const auto effect = std::ranges::find(space.effects, site.toStdString(), &SiteEffect::site);
    if (effect == space.effects.end()) continue;
    const auto found = std::ranges::find(effect->choices, choice.toStdString());
    const auto wanted = static_cast<std::size_t>(found - effect->choices.begin());
    for (std::size_t i = 0; i < space.size(); ++i)
      if (effect->chosen[i] != wanted) isShown[i] = false;
  }
  const QStringList words = filter.words.split(' ', Qt::SkipEmptyParts);
  for (std::size_t i = 0; i < space.size(); ++i) {
    const double seconds = space.seconds[i];
    const bool isTimed = !std::isnan(seconds);
    if (filter.show == SpaceFilter::Show::Timed && !isTimed) isShown[i] = false;
    if (filter.show == SpaceFilter::Show::Failed && space.failure(i).isEmpty()) isShown[i] = false;
    if (filter.seconds &&
        !(isTimed && seconds >= filter.seconds->first && seconds <= filter.seconds->second))
      isShown[i] = false;
    if (!isShown[i]) continue;
    isShown[i] = std::ranges::all_of(
        words, [&](const QString& word) { return hasWord(space.candidates[i], word); });
  }
  return isShown;
}

}  // namespace thallo::gui
