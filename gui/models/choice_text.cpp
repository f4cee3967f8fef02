#include "gui/models/choice_text.h"

#include <algorithm>
#include <cmath>

#include <QObject>

#include "gui/models/text.h"

namespace thallo::gui {
namespace {

// More choices, or longer words, are a list.
constexpr std::size_t MostCards = 8;
constexpr qsizetype LongestOnCard = 20;
// Times that differ by less are said to be the same.
constexpr double Same = 5e-4;

bool fitsOnCards(const SiteRow& site) {
  return site.choices.size() <= MostCards &&
         std::ranges::all_of(site.choices, [](const ChoiceRow& choice) {
           return choice.label.size() <= LongestOnCard;
         });
}

}  // namespace

EditorKind editorKindOf(const SiteRow& site) {
  if (std::holds_alternative<Toggle>(site.editor)) return EditorKind::Switch;
  if (std::holds_alternative<Ordering>(site.editor)) return EditorKind::Order;
  if (std::holds_alternative<Numbers>(site.editor)) return EditorKind::Numbers;
  if (std::holds_alternative<Placement>(site.editor)) return EditorKind::Board;
  return fitsOnCards(site) ? EditorKind::Cards : EditorKind::List;
}

QString CostWords::sentence() const {
  QString text = time;
  for (const QString& part : {change, bytes})
    if (!part.isEmpty()) text += QStringLiteral(", ") + part;
  return text;
}

CostWords costWords(std::optional<double> now, std::optional<double> seconds,
                    std::optional<double> bytes) {
  CostWords words;
  if (bytes) words.bytes = bytesText(*bytes);
  if (!seconds) return words;
  words.time = secondsText(*seconds);
  if (!now || !std::isfinite(*now) || !std::isfinite(*seconds)) return words;
  const double share = *seconds / *now - 1;
  words.direction = share < -Same ? -1 : share > Same ? 1 : 0;
  words.change = words.direction == 0 ? QObject::tr("no change") : changeText(*now, *seconds);
  words.share = words.change.section(QStringLiteral(" ("), 0, 0);
  words.saved = words.change.section(QStringLiteral(" ("), 1).chopped(words.direction == 0 ? 0 : 1);
  return words;
}

CostWords costWords(const SiteRow& site, std::size_t choice) {
  const ChoiceRow& row = site.choices[choice];
  const auto now = choice == site.chosen ? std::nullopt : site.choices[site.chosen].seconds;
  return costWords(now, row.seconds, row.bytes);
}

QString choiceTip(const SiteRow& site, std::size_t choice) {
  const ChoiceRow& row = site.choices[choice];
  if (!row.illegal.isEmpty()) return QObject::tr("Not legal: %1").arg(row.illegal);
  QString tip = row.directive;
  const CostWords words = costWords(site, choice);
  if (!words.time.isEmpty()) {
    tip += '\n' + QObject::tr("%1 predicted for a nonlinear iteration").arg(words.time);
    if (!words.change.isEmpty()) tip += QStringLiteral(", ") + words.change;
    const QString ratio =
        ratioText(site.choices[site.chosen].seconds.value_or(0), row.seconds.value_or(0));
    if (choice != site.chosen && words.direction != 0 && !ratio.isEmpty())
      tip += QStringLiteral(", ") + ratio;
    tip += '\n' + QObject::tr("%1 on the device").arg(words.bytes);
  }
  if (row.isRepeated) tip += '\n' + QObject::tr("The same program as a choice before it");
  return tip;
}

std::optional<double> gainAt(const SiteRow& site) {
  const auto now = site.choices[site.chosen].seconds;
  if (!now || !(*now > 0)) return std::nullopt;
  double best = *now;
  for (const ChoiceRow& choice : site.choices) best = std::min(best, choice.seconds.value_or(best));
  const double gain = std::isinf(*now) && std::isfinite(best) ? 1 : 1 - best / *now;
  return gain > Same ? std::optional(gain) : std::nullopt;
}

}  // namespace thallo::gui
