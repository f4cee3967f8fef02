#include "gui/models/site_effects.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "gui/models/text.h"

namespace thallo::gui {
namespace {

// What is chosen where a text says nothing and the default is not known: such a part may be missing.
constexpr const char* Silence = "(nothing said)";

// "r.fit:strategy" of r.fit:strategy("[JtJ]p"), and what stands in the parentheses.
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

// What the head of a line and the name of a site have in common: "fit:word" of "r.fit:word", and of
// "fit:word key", a site of several that share the word.
std::string_view wordOf(std::string_view headOrSite) {
  if (headOrSite.starts_with("r.")) headOrSite.remove_prefix(2);
  return headOrSite.substr(0, headOrSite.find(' '));
}

// What stands behind the colon of a head.
std::string_view constructOf(std::string_view head) { return head.substr(head.rfind(':') + 1); }

// The texts as numbers of different lines.
class Lines {
 public:
  // `defaults` has the sites of the problem. A construct that has several of a part has several of each,
  // also of parts that are merged, even where no text says its word twice.
  Lines(std::span<const std::string> texts, const std::map<std::string, std::string>& defaults) {
    for (const auto& [site, choice] : defaults)
      if (const std::string_view word = wordOf(site); word != site)
        m_repeatedConstructs.insert(constructOf(word));
    std::unordered_map<std::string_view, std::uint32_t> numbers, heads;
    std::vector<std::uint32_t> headOf, lastText;  // of lines; of heads
    for (std::size_t i = 0; i < texts.size(); ++i) {
      m_begin.push_back(m_lines.size());
      std::string_view rest = texts[i];
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
        // A number in brackets belongs to the site, wherever it is.
        if (last == i || headAndArguments(line).second.starts_with('['))
          m_repeated.insert(headAndArguments(line).first);
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

// What the candidates choose at each site, and how their times go with it.
class EffectTable {
 public:
  EffectTable(const Lines& lines, const std::map<std::string, std::string>& defaults)
      : m_lines(lines) {
    std::unordered_map<std::string, std::size_t> numbers;
    for (const DirectiveText& directive : lines.different()) {
      const auto [its, isNew] = numbers.emplace(directive.site, m_sites.size());
      if (isNew) {
        const auto known = defaults.find(directive.site);
        m_sites.push_back(
            {directive.site, {known == defaults.end() ? Silence : known->second}, {}});
      }
      std::vector<std::string>& choices = m_sites[its->second].choices;
      const auto said = std::ranges::find(choices, directive.choice);
      m_places.push_back({its->second, static_cast<std::size_t>(said - choices.begin())});
      if (said == choices.end()) choices.push_back(directive.choice);
    }
    for (SiteChoices& site : m_sites) site.groups.resize(site.choices.size());
  }

  void addTimes(std::span<const double> seconds) {
    for (std::size_t i = 0; i < seconds.size(); ++i) {
      if (std::isnan(seconds[i])) continue;
      const double value = std::log(seconds[i]);
      m_all.add(1, value);
      m_squares += value * value;
      for (const std::uint32_t line : m_lines.of(i))
        m_sites[m_places[line].site].groups[m_places[line].choice].add(1, value);
    }
    for (SiteChoices& site : m_sites) {
      Group& silent = site.groups.front();
      silent = m_all;
      for (std::size_t k = 1; k < site.groups.size(); ++k)
        silent.add(-site.groups[k].count, -site.groups[k].sum);
    }
  }

  // Sites at which candidates with a time differ, those that explain most first.
  std::vector<std::pair<double, std::size_t>> ranked() const {
    constexpr std::size_t MostChoices = std::numeric_limits<std::uint16_t>::max();
    std::vector<std::pair<double, std::size_t>> order;
    for (std::size_t s = 0; s < m_sites.size(); ++s) {
      const std::vector<Group>& groups = m_sites[s].groups;
      const auto numMade =
          std::ranges::count_if(groups, [](const Group& group) { return group.count > 0; });
      if (numMade > 1 && groups.size() <= MostChoices) order.emplace_back(explainedBy(groups), s);
    }
    std::ranges::stable_sort(order, std::greater(), &std::pair<double, std::size_t>::first);
    return order;
  }

  std::vector<SiteEffect> effects(const std::vector<std::pair<double, std::size_t>>& order,
                                  std::size_t numTexts) const {
    std::vector<SiteEffect> effects;
    std::vector<std::size_t> effectOf(m_sites.size(), order.size());
    for (const auto& [explained, site] : order) {
      effectOf[site] = effects.size();
      SiteEffect effect{.site = toQt(m_sites[site].name),
                        .choices = {},
                        .medians = {},
                        .chosen = std::vector<std::uint16_t>(numTexts),
                        .explained = explained};
      for (const std::string& choice : m_sites[site].choices)
        effect.choices.push_back(toQt(choice));
      effects.push_back(std::move(effect));
    }
    for (std::size_t i = 0; i < numTexts; ++i) {
      for (const std::uint32_t line : m_lines.of(i)) {
        const auto [site, choice] = m_places[line];
        if (effectOf[site] < order.size())
          effects[effectOf[site]].chosen[i] = static_cast<std::uint16_t>(choice);
      }
    }
    return effects;
  }

 private:
  // The sums that eta squared needs.
  struct Group {
    double count = 0, sum = 0;

    void add(double n, double s) {
      count += n;
      sum += s;
    }
    double square() const { return count > 0 ? sum * sum / count : 0; }
  };
  struct SiteChoices {
    std::string name;
    std::vector<std::string> choices;  // the first is the default: nothing is said
    std::vector<Group> groups;         // of each choice
  };
  struct Place {
    std::size_t site, choice;
  };

  double explainedBy(const std::vector<Group>& groups) const {
    const double total = m_squares - m_all.square();
    double between = -m_all.square();
    for (const Group& group : groups) between += group.square();
    return total > 0 ? std::clamp(between / total, 0.0, 1.0) : 0;
  }

  const Lines& m_lines;
  std::vector<SiteChoices> m_sites;
  std::vector<Place> m_places;  // of each different line
  Group m_all;
  double m_squares = 0;
};

// "value, gradient" of "value=true, gradient=false", and "true, false".
std::pair<QString, QString> namesAndValues(const QString& choice) {
  QStringList names, values;
  for (const QString& argument : choice.split(", ")) {
    const qsizetype equals = argument.indexOf('=');
    if (equals > 0) names.append(argument.left(equals));
    values.append(toQt(withoutQuotes(argument.mid(equals + 1).toStdString())));
  }
  return {names.join(", "), values.join(", ")};
}

// Arguments that have the same names in all choices are named once, in the site:
// "%0353:materialize (value, gradient)" with the choices "true, false" ...
void nameArgumentsOnce(SiteEffect& effect) {
  QString names;
  std::vector<QString> values;
  for (const QString& choice : effect.choices) {
    if (choice == Silence) {
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

// Choices by their medians, those without a time last.
void sortChoices(SiteEffect& effect, std::span<const double> seconds) {
  std::vector<std::vector<double>> times(effect.choices.size());
  for (std::size_t i = 0; i < seconds.size(); ++i)
    if (!std::isnan(seconds[i])) times[effect.chosen[i]].push_back(seconds[i]);
  struct Entry {
    double median;
    std::size_t choice;
  };
  std::vector<Entry> entries;
  for (std::size_t k = 0; k < times.size(); ++k)
    entries.push_back(
        {times[k].empty() ? std::numeric_limits<double>::infinity() : median(times[k]), k});
  std::ranges::stable_sort(entries, {}, &Entry::median);
  std::vector<std::uint16_t> place(entries.size());
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
  return {fmt::format("{} {}", head, arguments.substr(0, equals)),
          withoutQuotes(arguments.substr(equals + 1))};
}

std::vector<SiteEffect> siteEffects(std::span<const std::string> texts,
                                    std::span<const double> seconds,
                                    const std::map<std::string, std::string>& defaults,
                                    std::size_t most) {
  const Lines lines(texts, defaults);
  EffectTable table(lines, defaults);
  table.addTimes(seconds);
  auto order = table.ranked();
  if (order.size() > most) order.resize(most);
  std::vector<SiteEffect> effects = table.effects(order, texts.size());
  for (SiteEffect& effect : effects) {
    sortChoices(effect, seconds);
    nameArgumentsOnce(effect);
  }
  return effects;
}

}  // namespace thallo::gui
