#include "gui/schedule/choice_text.h"

#include <algorithm>
#include <cmath>

#include <QObject>

#include "core/base/error.h"
#include "gui/base/text.h"

namespace thallo::gui {
namespace {

// With more choices, or longer labels, a list is used.
constexpr std::size_t MostCards = 8;
constexpr qsizetype LongestOnCard = 20;
// Times that differ by less than this share are called the same.
constexpr double SameShare = 5e-4;
// Smaller gains are within the error of estimates.
constexpr double LeastGain = 5e-3;

bool fitsOnCards(const SiteRow& site) {
  return site.choices.size() <= MostCards &&
         std::ranges::all_of(site.choices, [](const ChoiceRow& choice) {
           return choice.label.size() <= LongestOnCard;
         });
}

// Predicted seconds of a nonlinear iteration, and of these those of its linear iterations.
struct SplitTime {
  double seconds = 0, linear = 0;
};

// The times that are shown are scaled as `change` is.
QString splitOf(const SplitTime& from, const SplitTime& to, const TimeChange& change) {
  if (!(to.seconds > 0)) return {};
  const double scale = change.to / to.seconds;
  if (!std::isfinite(scale) || !std::isfinite(from.seconds)) return {};
  QStringList parts;
  const auto add = [&](const QString& what, double by) {
    if (std::abs(by) < SameShare * from.seconds) return;
    parts.append(what.arg(signedText(by, secondsText(scale * std::abs(by)))));
  };
  add(QObject::tr("once %1"), (to.seconds - to.linear) - (from.seconds - from.linear));
  add(QObject::tr("linear %1"), to.linear - from.linear);
  return parts.join(QStringLiteral(", "));
}

std::optional<Gain> gainBy(const std::optional<TimeChange>& change, std::size_t choice,
                           bool changesNumerics) {
  if (!change || !(change->from > 0) || !std::isfinite(change->to)) return std::nullopt;
  const double share = std::isinf(change->from) ? 1 : 1 - change->to / change->from;
  if (share < LeastGain) return std::nullopt;
  return Gain{
      .share = share, .choice = choice, .change = *change, .changesNumerics = changesNumerics};
}

}  // namespace

EditorKind editorKindOf(const SiteRow& site) {
  if (std::holds_alternative<Ordering>(site.editor)) return EditorKind::Order;
  if (std::holds_alternative<Numbers>(site.editor)) return EditorKind::Numbers;
  if (std::holds_alternative<Placement>(site.editor)) return EditorKind::Board;
  return fitsOnCards(site) ? EditorKind::Cards : EditorKind::List;
}

QString CostWords::sentence() const {
  QString text = time;
  for (const QString& part : {change, bytes, numerics})
    if (!part.isEmpty()) text += QStringLiteral(", ") + part;
  return text;
}

CostWords costWords(const std::optional<TimeChange>& change, std::optional<double> bytes) {
  CostWords words;
  if (bytes) words.bytes = bytesText(*bytes);
  if (!change) return words;
  const auto [from, to, kind, isMeasured, spread] = *change;
  words.time = timeText(to, isMeasured);
  words.isMeasured = isMeasured;
  if (!std::isfinite(from) || !std::isfinite(to)) return words;
  const double share = to / from - 1;
  words.direction = share < -SameShare ? -1 : share > SameShare ? 1 : 0;
  words.change = words.direction == 0 ? QObject::tr("no change") : changeText(from, to);
  words.share = words.change.section(QStringLiteral(" ("), 0, 0);
  words.saved = words.change.section(QStringLiteral(" ("), 1).chopped(words.direction == 0 ? 0 : 1);
  return words;
}

CostWords costWords(const SiteRow& site, std::size_t choice) {
  const ChoiceRow& row = site.choices[choice];
  CostWords words = costWords(row.change, row.bytes);
  if (row.changesNumerics) words.numerics = QObject::tr("changes numerics");
  if (choice != site.chosen) return words;
  return {.time = words.time, .bytes = words.bytes, .isMeasured = words.isMeasured};
}

QString kindText(const TimeChange& change) {
  switch (change.kind) {
    case TimeKind::Estimated: return QObject::tr("predicted by the cost model");
    case TimeKind::Scaled:
      return change.isMeasured
                 ? QObject::tr("measured; the current schedule is estimated, scaled by it")
                 : QObject::tr("estimated, scaled by a measured time");
    case TimeKind::Measured: return QObject::tr("measured");
  }
  THALLO_UNREACHABLE();
}

QString timesText(const SiteRow& site) {
  const auto has = [&site](TimeKind kind) {
    return std::ranges::any_of(site.choices, [kind](const ChoiceRow& choice) {
      return choice.change && choice.change->kind == kind;
    });
  };
  if (has(TimeKind::Scaled)) {
    return QObject::tr(
        "Times after ≈ were not measured: they are predicted, and "
        "scaled by the measured time of a schedule.");
  }
  if (has(TimeKind::Estimated))
    return QObject::tr("Times after ≈ are predicted by the cost model.");
  return has(TimeKind::Measured) ? QObject::tr("Times are measured.") : QString();
}

QString choiceTip(const SiteRow& site, std::size_t choice) {
  const ChoiceRow& row = site.choices[choice];
  if (!row.illegal.isEmpty()) return QObject::tr("Not legal: %1").arg(row.illegal);
  QString tip = row.directive;
  const CostWords words = costWords(site, choice);
  if (!words.time.isEmpty()) {
    tip += '\n' + QObject::tr("%1 for a nonlinear iteration, %2")
                      .arg(spreadText(row.change->to, row.change->spread), kindText(*row.change));
    if (!words.change.isEmpty()) tip += QStringLiteral(": ") + words.change;
    const QString ratio = ratioText(row.change->from, row.change->to);
    if (choice != site.chosen && words.direction != 0 && !ratio.isEmpty())
      tip += QStringLiteral(", ") + ratio;
    tip += '\n' + QObject::tr("%1 on the device").arg(words.bytes);
  }
  if (row.changesNumerics)
    tip += '\n' + QObject::tr("Changes numerics: what is computed is off by more or less than now");
  if (row.isRepeated) tip += '\n' + QObject::tr("The same program as a choice before it");
  return tip;
}

QString moveText(const SiteRow& site, std::size_t choice) {
  const ChoiceRow& row = site.choices[choice];
  const auto value = row.args.find<bool>("value"), gradient = row.args.find<bool>("gradient");
  if (value && gradient) {
    if (*value && *gradient) return QObject::tr("store %1 and its gradient").arg(site.shown);
    if (*value) return QObject::tr("store %1").arg(site.shown);
    if (*gradient) return QObject::tr("store the gradient of %1").arg(site.shown);
    return QObject::tr("recompute %1").arg(site.shown);
  }
  if (const auto* placement = std::get_if<Placement>(&site.editor)) {
    const Placement::Place* place =
        choice < placement->places.size() ? &placement->places[choice] : nullptr;
    if (place != nullptr && place->with.empty())
      return QObject::tr("put %1 into a group of its own").arg(site.shown);
    if (place != nullptr)
      return QObject::tr("put %1 with %2").arg(site.shown, toQt(place->with.front()));
  }
  return QObject::tr("%1 of %2: %3")
      .arg(QString(site.construct).replace('_', ' '), site.shown, row.label);
}

QString splitText(const SiteRow& site, std::size_t choice) {
  const ChoiceRow& from = site.choices[site.chosen];
  const ChoiceRow& to = site.choices[choice];
  if (!from.linear || !from.seconds || !to.linear || !to.seconds || !to.change) return {};
  return splitOf({*from.seconds, *from.linear}, {*to.seconds, *to.linear}, *to.change);
}

QString splitText(const SiteTable& table, const OtherMove& move) {
  if (!table.seconds || !table.linear || !move.change) return {};
  return splitOf({*table.seconds, *table.linear}, {move.seconds, move.linear}, *move.change);
}

std::optional<Gain> gainAt(const SiteRow& site) {
  std::optional<Gain> best;
  for (std::size_t i = 0; i < site.choices.size(); ++i) {
    if (i == site.chosen) continue;
    const ChoiceRow& choice = site.choices[i];
    best = std::max(best, gainBy(choice.change, i, choice.changesNumerics));
  }
  return best;
}

std::optional<Gain> gainOf(const OtherMove& move) {
  return gainBy(move.change, 0, move.changesNumerics);
}

QString gainText(const Gain& gain) {
  const QString text = QStringLiteral("−%1 %").arg(significant(100 * gain.share, 2));
  return gain.changesNumerics ? QObject::tr("%1, changes numerics").arg(text) : text;
}

}  // namespace thallo::gui
