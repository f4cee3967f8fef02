#include "gui/schedule/schedule_data.h"

#include <algorithm>
#include <cmath>

#include <QObject>

namespace thallo::gui {

double TimeEstimate::ofSteps(bool isLinear) const {
  double sum = 0;
  for (const TimeSegment& segment : segments)
    if (segment.isLinear == isLinear) sum += segment.seconds();
  return sum;
}

double TimeEstimate::measuredRatio() const {
  const bool isKnown = measured && nonlinear > 0 && std::isfinite(nonlinear);
  return isKnown ? *measured / nonlinear : 1;
}

void TimeEstimate::fitSteps() {
  const double ratio = measured ? measuredRatio() : scale;
  for (TimeSegment& segment : segments) segment.scale = segment.measured ? 1 : ratio;
  const double all = ofSteps(false) + ofSteps(true);
  if (!std::isfinite(all) || !(all > seconds())) return;
  for (TimeSegment& segment : segments) segment.scale *= seconds() / all;
}

bool TimeEstimate::hasMeasuredSteps() const {
  return std::ranges::all_of(segments, [](const TimeSegment& segment) {
    return segment.seconds() == 0 || (segment.measured && segment.scale == 1);
  });
}

TimeChange changeBetween(const TimeEstimate& from, double predicted,
                         std::optional<double> measured) {
  if (from.measured && measured) return {*from.measured, *measured, TimeKind::Measured, true};
  if (from.measured) return {*from.measured, predicted * from.measuredRatio(), TimeKind::Scaled};
  const bool isKnown = measured && predicted > 0 && std::isfinite(predicted);
  if (isKnown) return {from.nonlinear * (*measured / predicted), *measured, TimeKind::Scaled, true};
  return {from.seconds(), predicted * from.scale, from.kind()};
}

TimeChange changeBetween(const TimeEstimate& from, const TimeEstimate& to) {
  return changeBetween(from, to.nonlinear, to.measured);
}

double TimeEstimate::besideSteps() const {
  const double rest = seconds() - ofSteps(false) - ofSteps(true);
  return std::isfinite(rest) ? std::max(0.0, rest) : 0;
}

std::vector<NamedSeconds> TimeEstimate::besideParts() const {
  const double all = besideSteps();
  if (!(all > 0)) return {};
  const bool hasMeasured = std::ranges::any_of(
      segments, [](const TimeSegment& segment) { return segment.measured.has_value(); });
  // Where no step was measured, all of the prediction is scaled.
  const double factor = !measured ? scale : hasMeasured ? 1 : measuredRatio();
  std::vector<NamedSeconds> parts = {
      {QObject::tr("launches that the host is late with"), factor * beside.launches},
      {QObject::tr("turns of the linear loop"), factor * beside.loop_turns},
      {QObject::tr("the host: starting the loop, reading the cost"), factor * beside.host}};
  double rest = all;
  for (const NamedSeconds& part : parts) rest -= part.seconds;
  constexpr double Rounding = 1e-6;
  if (measured && std::abs(rest) > Rounding * all) {
    parts.push_back(
        {QObject::tr("colder caches than where steps are timed alone, and errors of the model"),
         rest});
  }
  std::erase_if(parts, [](const NamedSeconds& part) { return part.seconds == 0; });
  return parts;
}

const SiteRow* SiteTable::find(const QString& id) const {
  const auto row = std::ranges::find(sites, id, &SiteRow::id);
  return row == sites.end() ? nullptr : &*row;
}

const SiteGroups* SiteTable::groupsOf(const QString& construct) const {
  const auto found = std::ranges::find(groups, construct, &SiteGroups::construct);
  return found == groups.end() ? nullptr : &*found;
}

}  // namespace thallo::gui
