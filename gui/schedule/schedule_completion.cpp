#include "gui/schedule/schedule_completion.h"

#include <algorithm>

#include <QRegularExpression>
#include <QStringList>

#include "gui/schedule/choice_text.h"

namespace thallo::gui {
namespace {

// The pieces of r.fit:name("choice") that have been typed.
struct Pieces {
  QString about, construct, choice;  // "r.fit", "name", "\"choice\")"
  bool hasColon = false, hasChoice = false;
  QString opening;  // "(" or "{"

  explicit Pieces(const QString& statement) {
    static const QRegularExpression Opening("[({]");
    const qsizetype open = statement.indexOf(Opening);
    const QString head = open < 0 ? statement : statement.left(open);
    const qsizetype colon = head.indexOf(':');
    hasColon = colon >= 0;
    about = (hasColon ? head.left(colon) : head).trimmed();
    construct = hasColon ? head.mid(colon + 1).trimmed() : QString();
    hasChoice = open >= 0;
    if (!hasChoice) return;
    opening = statement.mid(open, 1);
    choice = statement.mid(open + 1);
  }
};

// A choice may be begun without its quotes.
bool begins(const QString& choice, const QString& typed) {
  return choice.startsWith(typed) || choice.mid(1).startsWith(typed);
}

// Returns the first sentence of the construct's description.
QString docOf(const QString& construct, const std::vector<ConstructInfo>& constructs) {
  const auto info = std::ranges::find(constructs, construct, &ConstructInfo::name);
  return info == constructs.end() ? QString() : info->doc.section(". ", 0, 0);
}

class Completer {
 public:
  Completer(const Pieces& typed, const std::vector<ConstructInfo>& constructs)
      : m_typed(typed), m_constructs(constructs) {}

  void look(const SiteRow& site, std::size_t choice) {
    const Pieces legal(site.choices[choice].directive);
    if (!m_typed.hasColon && !m_typed.hasChoice) {
      if (legal.hasColon && legal.about.startsWith(m_typed.about))
        addConstruct(add(legal.about + ':'), site.construct);
      return;
    }
    if (legal.about != m_typed.about) return;
    if (!m_typed.hasChoice) {
      if (legal.construct.startsWith(m_typed.construct))
        add(legal.construct + legal.opening).words = docOf(site.construct, m_constructs);
      return;
    }
    const bool isThere =
        legal.hasChoice && legal.construct == m_typed.construct && legal.opening == m_typed.opening;
    if (!isThere || !begins(legal.choice, m_typed.choice)) return;
    add(legal.choice).words =
        choice == site.chosen ? QObject::tr("as it is") : costWords(site, choice).sentence();
  }
  std::vector<Completion> take() { return std::move(m_items); }

 private:
  Completion& add(const QString& text) {
    const auto known = std::ranges::find(m_items, text, &Completion::text);
    return known == m_items.end() ? m_items.emplace_back(Completion{text, {}}) : *known;
  }
  static void addConstruct(Completion& item, const QString& construct) {
    QStringList names = item.words.split(", ", Qt::SkipEmptyParts);
    if (!names.contains(construct)) names.append(construct);
    item.words = names.join(", ");
  }

  const Pieces& m_typed;
  const std::vector<ConstructInfo>& m_constructs;
  std::vector<Completion> m_items;
};

}  // namespace

Completions completionsAt(const QString& typed, const SiteTable& table,
                          const std::vector<ConstructInfo>& constructs) {
  if (typed.contains("--")) return {};
  const Pieces pieces(typed.trimmed());
  Completer completer(pieces, constructs);
  for (const SiteRow& site : table.sites) {
    for (std::size_t i = 0; i < site.choices.size(); ++i) {
      const ChoiceRow& choice = site.choices[i];
      if (choice.illegal.isEmpty() && !choice.isRepeated) completer.look(site, i);
    }
  }
  const QString& last = pieces.hasChoice  ? pieces.choice
                        : pieces.hasColon ? pieces.construct
                                          : pieces.about;
  Completions result{.begin = static_cast<int>(typed.size() - last.size()),
                     .items = completer.take()};
  std::erase_if(result.items, [&](const Completion& item) { return item.text == last; });
  return result;
}

}  // namespace thallo::gui
