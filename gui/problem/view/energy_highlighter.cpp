#include "gui/problem/view/energy_highlighter.h"

#include <optional>

#include "gui/widgets/theme.h"

namespace thallo::gui {
namespace {

std::optional<Ink> inkOfSymbol(const QString& kind) {
  static const QHash<QString, Ink> Inks = {{"unknown", Ink::Unknown},
                                           {"array", Ink::Field},
                                           {"param", Ink::Field},
                                           {"map", Ink::Cut},
                                           {"dim", Ink::Sum},
                                           {"residual", Ink::Residual},
                                           {"intermediate", Ink::Intermediate},
                                           {"sum", Ink::Intermediate}};
  const auto found = Inks.find(kind);
  return found == Inks.end() ? std::nullopt : std::optional(*found);
}

// Of what Thallo prints.
QSet<QString> printedKeywords() {
  return {"energy",       "dim",      "unknown", "array", "param",    "map",
          "over",         "residual", "exclude", "where", "channels", "channel",
          "intermediate", "sum",      "and",     "or",    "not",      "loss"};
}

QTextCharFormat wordFormat(Ink which, bool isBold = false) {
  QTextCharFormat format;
  format.setForeground(ink(which));
  if (isBold) format.setFontWeight(QFont::DemiBold);
  return format;
}

}  // namespace

void EnergyHighlighter::setEnergy(EnergyForm form, const std::vector<EnergySymbol>& symbols,
                                  const EnergyWords& words) {
  m_keywords = form == EnergyForm::Understood
                   ? printedKeywords()
                   : QSet<QString>(words.keywords.begin(), words.keywords.end());
  const QString comment =
      words.comment.isEmpty() ? QStringLiteral("(?!)") : QRegularExpression::escape(words.comment);
  m_token.setPattern(QStringLiteral("(%1.*$)|(\"[^\"]*\"|'[^']*')|([A-Za-z_]\\w*)|"
                                    "(\\d+\\.?\\d*(?:[eE][+-]?\\d+)?)")
                         .arg(comment));
  m_kinds.clear();
  for (const EnergySymbol& symbol : symbols) m_kinds.insert(symbol.name, symbol.kind);
}

void EnergyHighlighter::highlightBlock(const QString& text) {
  auto tokens = m_token.globalMatch(text);
  while (tokens.hasNext()) {
    const auto token = tokens.next();
    const int start = static_cast<int>(token.capturedStart());
    const int length = static_cast<int>(token.capturedLength());
    const QString word = token.captured();
    if (token.hasCaptured(1)) {
      setFormat(start, length, wordFormat(Ink::Muted));
    } else if (token.hasCaptured(2)) {
      const auto kind = m_kinds.find(word.mid(1, word.size() - 2));
      setFormat(
          start, length,
          wordFormat(kind == m_kinds.end() ? Ink::Muted : inkOfSymbol(*kind).value_or(Ink::Text)));
    } else if (token.hasCaptured(4)) {
      setFormat(start, length, wordFormat(Ink::Product));
    } else if (m_keywords.contains(word)) {
      setFormat(start, length, wordFormat(Ink::Text, true));
    } else if (const auto kind = m_kinds.find(word); kind != m_kinds.end()) {
      if (const auto hue = inkOfSymbol(*kind)) setFormat(start, length, wordFormat(*hue, true));
    } else if (text.mid(start + length).startsWith('(')) {
      setFormat(start, length, wordFormat(Ink::Accent));
    }
  }
}

}  // namespace thallo::gui
