#include "gui/models/site_effects.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "gui/models/effect_size.h"
#include "gui/models/text.h"

namespace thallo::gui {
namespace {

// Number of sites that are searched one after the other, each explaining what the previous ones
// leave.
constexpr std::size_t MostExplaining = 8;
// The choice of a text that says nothing about a site, if it is unknown whether the schedule has
// the site.
constexpr const char* Silence = "(nothing said)";
// The choice if the schedule has no such site.
constexpr const char* Absence = "(does not exist)";
// The choice of a text that names only the site.
constexpr const char* Default = "default";
// The indices of the first choices of every site.
enum FirstChoice : std::size_t { Silent, Absent, NumFirst };

// Splits r.fit:strategy("[JtJ]p") into "r.fit:strategy" and what is in the parentheses.
std::pair<std::string_view, std::string_view> headAndArguments(std::string_view line) {
  const std::size_t open = line.find_first_of("({");
  if (open == std::string_view::npos) return {line, {}};
  const std::size_t close = line.find_last_of(")}");
  return {line.substr(0, open), line.substr(open + 1, close - open - 1)};
}

std::string withoutQuotes(std::string_view text) {
  if (text.size() >= 2 && text.front() == '"' && text.back() == '"')
    text = text.substr(1, text.size() - 2);
  return std::string(text);
}

// Returns what the head of a line and the name of a site have in common: "fit:word" for the head
// "r.fit:word" and for the site "fit:word key", which is one of several that share the word.
std::string_view wordOf(std::string_view headOrSite) {
  if (headOrSite.starts_with("r.")) headOrSite.remove_prefix(2);
  return headOrSite.substr(0, headOrSite.find(' '));
}

// Returns the text after the colon of a head.
std::string_view constructOf(std::string_view head) { return head.substr(head.rfind(':') + 1); }

// Represents the texts as numbers of distinct lines.
class Lines {
 public:
  // `silent` texts come after the others and spell out all choices of a schedule. If a construct
  // has several sites for a part there, it is treated as having several everywhere, even if no
  // other text uses its word twice.
  Lines(std::span<const std::string> texts, std::span<const std::string> silent) {
    std::unordered_map<std::string_view, std::uint32_t> numbers, heads;
    std::vector<std::uint32_t> headOf, lastText;  // indexed by line; indexed by head
    for (std::size_t i = 0; i < texts.size() + silent.size(); ++i) {
      m_begin.push_back(m_lines.size());
      const bool isSilent = i >= texts.size();
      std::string_view rest = isSilent ? silent[i - texts.size()] : texts[i];
      while (!rest.empty()) {
        const std::size_t end = std::min(rest.find('\n'), rest.size());
        const std::string_view line = rest.substr(0, end);
        rest.remove_prefix(std::min(end + 1, rest.size()));
        if (line.empty()) continue;
        const auto [known, isNew] =
            numbers.emplace(line, static_cast<std::uint32_t>(m_different.size()));
        if (isNew) {
          m_different.push_back(line);
          const std::string_view head = headAndArguments(line).first;
          const auto of = heads.emplace(head, static_cast<std::uint32_t>(heads.size())).first;
          lastText.resize(heads.size(), std::numeric_limits<std::uint32_t>::max());
          headOf.push_back(of->second);
        }
        std::uint32_t& last = lastText[headOf[known->second]];
        // A number in brackets belongs to the site, wherever it is in the line.
        const auto [head, arguments] = headAndArguments(line);
        if (last == i || arguments.starts_with('[')) m_repeated.insert(head);
        if (last == i && isSilent) m_repeatedConstructs.insert(constructOf(head));
        last = static_cast<std::uint32_t>(i);
        m_lines.push_back(known->second);
      }
    }
    m_begin.push_back(m_lines.size());
  }

  std::span<const std::uint32_t> of(std::size_t text) const {
    return std::span(m_lines).subspan(m_begin[text], m_begin[text + 1] - m_begin[text]);
  }
  std::vector<DirectiveText> different() const {
    std::vector<DirectiveText> result;
    for (const std::string_view line : m_different) {
      const std::string_view head = headAndArguments(line).first;
      const bool isRepeated =
          m_repeated.contains(head) || m_repeatedConstructs.contains(constructOf(head));
      result.push_back(DirectiveText::of(std::string(line), isRepeated));
    }
    return result;
  }

 private:
  std::vector<std::string_view> m_different;
  std::unordered_set<std::string_view> m_repeated;  // heads
  std::unordered_set<std::string_view> m_repeatedConstructs;
  std::vector<std::uint32_t> m_lines;
  std::vector<std::size_t> m_begin;
};

// The choices of the candidates at each site, and how their times depend on them.
class EffectTable {
 public:
  EffectTable(const Lines& lines, std::size_t numTexts, const SilentChoices& silent)
      : m_lines(lines), m_silent(silent), m_numTexts(numTexts) {
    std::unordered_map<std::string, std::size_t> numbers;
    for (const DirectiveText& directive : lines.different()) {
      const auto [its, isNew] = numbers.emplace(directive.site, m_sites.size());
      if (isNew) m_sites.push_back({directive.site, {Silence, Absence}, {}});
      std::vector<std::string>& choices = m_sites[its->second].choices;
      const auto said = std::ranges::find(choices, directive.choice);
      m_places.push_back({its->second, static_cast<std::size_t>(said - choices.begin())});
      if (said == choices.end()) choices.push_back(directive.choice);
    }
    for (std::size_t i = 0; i < silent.texts.size(); ++i) {
      auto& choices = m_silentChoices.emplace_back(m_sites.size(), Absent);
      for (const std::uint32_t line : lines.of(numTexts + i)) {
        choices[m_places[line].site] = m_places[line].choice;
        m_sites[m_places[line].site].isKnown = true;
      }
    }
    m_silentChoices.emplace_back(m_sites.size(), Silent);
  }

  struct Ranked {
    std::size_t site = 0;
    std::size_t numTimed = 0;
    double explained = 0;  // share of the original variance
    double chance = 1;     // for one of all sites
    bool isSignificant() const {
      return SiteEffect{.explained = explained, .chance = chance}.isSignificant();
    }
  };
  // Returns the sites at which candidates with a time differ. The first one explains most of the
  // times. Its effect is subtracted from the times, the next one explains most of the rest, and so
  // on. So nothing is left for sites that differ only because other sites do; searches produce many
  // of those.
  std::vector<Ranked> ranked(std::span<const double> seconds) {
    constexpr std::size_t MostChoices = std::numeric_limits<std::uint16_t>::max();
    std::vector<double> values;
    for (const double time : seconds) values.push_back(std::log(time));
    addValues(values);
    std::vector<Ranked> order, rest;
    std::vector<double> variances(m_sites.size());
    for (std::size_t s = 0; s < m_sites.size(); ++s) {
      const EffectSize size = effectSize(comparedAt(s));
      variances[s] = size.variance;
      const bool isShown = size.numGroups > 1 && m_sites[s].choices.size() <= MostChoices;
      if (isShown) rest.push_back({s, size.numValues});
    }
    const auto numTested = static_cast<double>(rest.size());
    double numSpent = 0;
    while (!rest.empty()) {
      for (Ranked& its : rest) {
        const EffectSize size = effectSize(comparedAt(its.site), numSpent);
        const double left = variances[its.site] > 0 ? size.variance / variances[its.site] : 0;
        its.explained = size.omegaSquared * left;
        its.chance = std::min(1.0, size.chance * numTested);
      }
      std::ranges::stable_sort(rest, std::greater(), [](const Ranked& its) {
        return std::pair(its.isSignificant(), its.explained);
      });
      if (!rest.front().isSignificant() || order.size() == MostExplaining) break;
      order.push_back(rest.front());
      rest.erase(rest.begin());
      numSpent += takeMeansOff(values, order.back().site);
      addValues(values);
    }
    order.insert(order.end(), rest.begin(), rest.end());
    return order;
  }

  std::vector<SiteEffect> effects(const std::vector<Ranked>& order) const {
    std::vector<SiteEffect> effects;
    std::vector<std::size_t> effectOf(m_sites.size(), order.size());
    for (const auto& [site, numTimed, explained, chance] : order) {
      effectOf[site] = effects.size();
      SiteEffect effect{.site = toQt(m_sites[site].name),
                        .choices = {},
                        .medians = {},
                        .chosen = std::vector<std::uint16_t>(m_numTexts),
                        .explained = explained,
                        .chance = chance,
                        .numTimed = numTimed};
      for (const std::string& choice : m_sites[site].choices)
        effect.choices.push_back(toQt(choice));
      for (std::size_t i = 0; i < m_numTexts; ++i)
        effect.chosen[i] = static_cast<std::uint16_t>(m_silentChoices[silentOf(i)][site]);
      effects.push_back(std::move(effect));
    }
    for (std::size_t i = 0; i < m_numTexts; ++i) {
      for (const std::uint32_t line : m_lines.of(i)) {
        const auto [site, choice] = m_places[line];
        if (effectOf[site] < order.size())
          effects[effectOf[site]].chosen[i] = static_cast<std::uint16_t>(choice);
      }
    }
    return effects;
  }

 private:
  struct SiteChoices {
    std::string name;
    std::vector<std::string> choices;  // FirstChoice, then those found in texts
    std::vector<GroupSums> groups;     // one for each choice
    bool isKnown = false;              // true if some candidates are known to have the site
  };
  struct Place {
    std::size_t site, choice;
  };

  // Adds the values of the candidates (NaN: none) to the sums of their choices.
  void addValues(std::span<const double> values) {
    for (SiteChoices& site : m_sites) site.groups.assign(site.choices.size(), {});
    // Sums over candidates that have the same sites, and over those of them that mention a site.
    std::vector<GroupSums> all(m_silentChoices.size());
    std::vector<GroupSums> said(m_silentChoices.size() * m_sites.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (std::isnan(values[i])) continue;
      const std::size_t its = silentOf(i);
      all[its].add(values[i]);
      for (const std::uint32_t line : m_lines.of(i)) {
        const auto [site, choice] = m_places[line];
        m_sites[site].groups[choice].add(values[i]);
        said[its * m_sites.size() + site].add(values[i]);
      }
    }
    for (std::size_t its = 0; its < all.size(); ++its) {
      if (!(all[its].count > 0)) continue;
      for (std::size_t s = 0; s < m_sites.size(); ++s) {
        GroupSums rest = all[its];
        rest -= said[its * m_sites.size() + s];
        if (rest.count > 0) m_sites[s].groups[m_silentChoices[its][s]] += rest;
      }
    }
  }

  // Returns the groups of the choices at a site, over candidates that have it.
  std::vector<GroupSums> comparedAt(std::size_t site) const {
    std::vector<GroupSums> groups = m_sites[site].groups;
    groups[Absent] = {};
    if (m_sites[site].isKnown) groups[Silent] = {};
    return groups;
  }

  // Subtracts from each value the mean of its choice at the site. Returns the number of choices
  // minus one.
  double takeMeansOff(std::vector<double>& values, std::size_t site) const {
    const std::vector<GroupSums>& groups = m_sites[site].groups;
    for (std::size_t i = 0; i < values.size(); ++i) {
      std::size_t choice = m_silentChoices[silentOf(i)][site];
      for (const std::uint32_t line : m_lines.of(i))
        if (m_places[line].site == site) choice = m_places[line].choice;
      if (!std::isnan(values[i])) values[i] -= groups[choice].sum / groups[choice].count;
    }
    const auto isMade = [](const GroupSums& group) { return group.count > 0; };
    return static_cast<double>(std::ranges::count_if(groups, isMade) - 1);
  }

  // Returns the index into m_silentChoices of what a candidate chooses where its text says nothing.
  std::size_t silentOf(std::size_t text) const {
    const bool isKnown = text < m_silent.of.size() && m_silent.of[text];
    return isKnown ? *m_silent.of[text] : m_silent.texts.size();
  }

  const Lines& m_lines;
  const SilentChoices& m_silent;
  std::size_t m_numTexts;
  std::vector<SiteChoices> m_sites;
  std::vector<Place> m_places;  // one for each distinct line
  // Indexed by site; the last one is for unknown sites.
  std::vector<std::vector<std::size_t>> m_silentChoices;
};

// Splits "value=true, gradient=false" into "value, gradient" and "true, false".
std::pair<QString, QString> namesAndValues(const QString& choice) {
  QStringList names, values;
  for (const QString& argument : choice.split(", ")) {
    const qsizetype equals = argument.indexOf('=');
    if (equals > 0) names.append(argument.left(equals));
    values.append(toQt(withoutQuotes(argument.mid(equals + 1).toStdString())));
  }
  return {names.join(", "), values.join(", ")};
}

// If the arguments have the same names in all choices, moves the names to the site:
// "%0353:materialize (value, gradient)" with the choices "true, false" ...
void nameArgumentsOnce(SiteEffect& effect) {
  QString names;
  std::vector<QString> values;
  for (const QString& choice : effect.choices) {
    if (choice == Silence || choice == Absence || choice == Default) {
      values.push_back(choice);
      continue;
    }
    const auto [its, all] = namesAndValues(choice);
    if (its.isEmpty() || (!names.isEmpty() && names != its)) return;
    if (its.count(',') != all.count(',')) return;
    names = its;
    values.push_back(all);
  }
  if (names.isEmpty()) return;
  effect.site += " (" + names + ')';
  effect.choices = std::move(values);
}

// Sorts choices by their medians, followed by those without a time and by the absent site. Removes
// choices that no candidate made.
void sortChoices(SiteEffect& effect, std::span<const double> seconds) {
  std::vector<std::vector<double>> times(effect.choices.size());
  std::vector<bool> isMade(effect.choices.size());
  for (std::size_t i = 0; i < seconds.size(); ++i) {
    isMade[effect.chosen[i]] = true;
    if (!std::isnan(seconds[i])) times[effect.chosen[i]].push_back(seconds[i]);
  }
  struct Entry {
    double median;
    std::size_t choice;
  };
  std::vector<Entry> entries;
  for (std::size_t k = 0; k < times.size(); ++k) {
    if (!isMade[k]) continue;
    entries.push_back(
        {times[k].empty() ? std::numeric_limits<double>::infinity() : median(times[k]), k});
  }
  std::ranges::stable_sort(entries, {}, [](const Entry& entry) {
    return std::pair(entry.choice == Absent, entry.median);
  });
  std::vector<std::uint16_t> place(times.size());
  std::vector<QString> choices;
  for (std::size_t k = 0; k < entries.size(); ++k) {
    place[entries[k].choice] = static_cast<std::uint16_t>(k);
    choices.push_back(effect.choices[entries[k].choice]);
    effect.medians.push_back(std::isinf(entries[k].median)
                                 ? std::numeric_limits<double>::quiet_NaN()
                                 : entries[k].median);
  }
  effect.choices = std::move(choices);
  for (std::uint16_t& chosen : effect.chosen) chosen = place[chosen];
}

}  // namespace

DirectiveText DirectiveText::of(const std::string& line, bool isRepeated) {
  auto [head, arguments] = headAndArguments(line);
  head = wordOf(head);
  if (!isRepeated) return {std::string(head), withoutQuotes(arguments)};
  const std::size_t comma = arguments.find(", ");
  if (comma != std::string_view::npos)
    return {fmt::format("{} {}", head, arguments.substr(0, comma)),
            std::string(arguments.substr(comma + 2))};
  const std::size_t equals = arguments.find('=');
  if (equals == std::string_view::npos) return {std::string(head), withoutQuotes(arguments)};
  if (!arguments.starts_with('[')) return {fmt::format("{} {}", head, arguments), Default};
  return {fmt::format("{} {}", head, arguments.substr(0, equals)),
          withoutQuotes(arguments.substr(equals + 1))};
}

std::vector<SiteEffect> siteEffects(std::span<const std::string> texts,
                                    std::span<const double> seconds, const SilentChoices& silent,
                                    std::size_t most) {
  const Lines lines(texts, silent.texts);
  EffectTable table(lines, texts.size(), silent);
  auto order = table.ranked(seconds);
  if (order.size() > most) order.resize(most);
  std::vector<SiteEffect> effects = table.effects(order);
  for (SiteEffect& effect : effects) {
    sortChoices(effect, seconds);
    nameArgumentsOnce(effect);
  }
  return effects;
}

}  // namespace thallo::gui
