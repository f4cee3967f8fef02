#include "gui/space/space_data.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <QHash>
#include <QObject>

#include "core/explore/plot/label_rows.h"
#include "gui/base/text.h"

namespace thallo::gui {
namespace {

bool hasWord(const SpaceSnapshot& space, std::size_t i, const QString& word) {
  for (const auto* column : {&space.text, &space.index, &space.hash, &space.reason, &space.status})
    if ((*column)[i].contains(word, Qt::CaseInsensitive)) return true;
  return false;
}

// Writes a CSV field on one line, quoted if necessary.
QString csvField(QString text) {
  text.replace('\n', "; ");
  if (!text.contains(',') && !text.contains('"') && !text.contains(';')) return text;
  return '"' + text.replace('"', "\"\"") + '"';
}

QString csvNumber(double value) {
  return std::isnan(value) ? QString() : QString::number(value, 'g', 17);
}

}  // namespace

std::optional<std::size_t> SpaceSnapshot::find(const QString& wanted) const {
  const auto found = std::ranges::find(hash, wanted);
  if (found == hash.end()) return std::nullopt;
  return static_cast<std::size_t>(found - hash.begin());
}

std::optional<std::size_t> SpaceSnapshot::best() const {
  if (byTime.empty()) return std::nullopt;
  return byTime.front();
}

std::vector<MarkLine> markLines(const std::vector<SpaceMark>& marks) {
  const auto best = std::ranges::find(marks, "best", &SpaceMark::name);
  std::vector<MarkLine> lines;
  for (const SpaceMark& mark : marks) {
    auto line = std::ranges::find(lines, mark.seconds, &MarkLine::seconds);
    if (line == lines.end()) line = lines.insert(lines.end(), MarkLine{mark.seconds, {}, {}, {}});
    line->names.insert(mark.name == "best" ? 0 : line->names.size(), mark.name);
    if (!mark.hash.isEmpty()) line->hash = mark.hash;
  }
  for (MarkLine& line : lines) {
    constexpr int Most = 3;
    QString names = line.names.join(", ");
    if (line.names.size() > Most) {
      names = QStringLiteral("%1, %2 and %3 more")
                  .arg(line.names[0], line.names[1])
                  .arg(line.names.size() - 2);
    }
    const double factor = best == marks.end() ? 1 : line.seconds / best->seconds;
    const QString off =
        factor < 10 ? '+' + significant(100 * (factor - 1)) + " %" : significant(factor) + "×";
    line.text = names + ' ' + (factor == 1 ? secondsText(line.seconds) : off);
  }
  return lines;
}

std::vector<LabelPlace> placeLabels(const std::vector<double>& lines,
                                    const std::vector<double>& widths, double left, double right) {
  std::vector<plot::LineLabel> labels;
  for (std::size_t i = 0; i < lines.size(); ++i) labels.push_back({lines[i], widths[i]});
  std::vector<LabelPlace> places;
  for (const plot::LabelPlace& place : plot::place_labels(labels, left, right))
    places.push_back({place.row, place.is_right});
  return places;
}

TimeColumn timesOn(const SpaceSnapshot& there, const SpaceSnapshot& here) {
  QHash<QString, double> secondsThere;
  for (const std::size_t i : there.byTime) secondsThere.insert(there.hash[i], there.seconds[i]);
  TimeColumn column{.name = there.device.name, .isPredicted = false, .seconds = {}, .rho = {}};
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
    if (filter.show == SpaceFilter::Show::Failed && space.reason[i].isEmpty()) isShown[i] = false;
    if (filter.seconds &&
        !(isTimed && seconds >= filter.seconds->first && seconds <= filter.seconds->second))
      isShown[i] = false;
    if (!isShown[i]) continue;
    isShown[i] =
        std::ranges::all_of(words, [&](const QString& word) { return hasWord(space, i, word); });
  }
  return isShown;
}

QString csvText(const SpaceSnapshot& space, const std::vector<std::size_t>& candidates) {
  QStringList header = {"index", "hash", "seconds", "composed", "end_to_end"};
  for (const TimeColumn& column : space.predicted) header.append(csvField(column.name));
  header.append({"bytes", "status", "reason", "schedule"});
  QString text = header.join(',') + '\n';
  for (const std::size_t i : candidates) {
    QStringList fields = {space.index[i], space.hash[i], csvNumber(space.seconds[i]),
                          csvNumber(space.composed[i]), csvNumber(space.endToEnd[i])};
    for (const TimeColumn& column : space.predicted) fields.append(csvNumber(column.seconds[i]));
    fields.append({QString::number(static_cast<qint64>(space.bytes[i])), space.status[i],
                   csvField(space.reason[i]), csvField(space.text[i])});
    text += fields.join(',') + '\n';
  }
  return text;
}

}  // namespace thallo::gui
