#include "gui/workspace/view/notation.h"

#include <algorithm>
#include <vector>

#include <QFontMetricsF>
#include <QRegularExpression>

#include "gui/widgets/theme.h"

namespace thallo::gui {
namespace {

constexpr double SlabPadding = 4;  // on either side of a slab, and for each slab inside it
constexpr double TermGap = 3;      // between a bracket and its neighbors
constexpr double SizesScale = 0.75;

// A term of the formula: a factor, or a bracket with its contents.
struct Term {
  QString text;                   // "J", "Jᵀ", "p"; empty for a bracket
  QString rows, columns;          // "U", "R"; a vector has no columns
  std::vector<Term> inside = {};  // the contents of a bracket
  double width = 0;
  int depth = 0;  // number of nested brackets, including this one

  bool isBracket() const { return text.isEmpty(); }
  QString size() const { return columns.isEmpty() ? rows : rows + QChar(0x00d7) + columns; }
};

double widthOf(const std::vector<Term>& terms) {
  double width = -TermGap;
  for (const Term& term : terms) width += term.width + TermGap;
  return width;
}

std::vector<Term> readTerms(const QString& label, qsizetype& at, const QFontMetricsF& metrics) {
  std::vector<Term> terms;
  while (at < label.size() && label[at] != ']') {
    const QChar letter = label[at++];
    Term term;
    if (letter == '[') {
      term.inside = readTerms(label, at, metrics);
      ++at;
      term.width = 2 * SlabPadding + widthOf(term.inside);
      for (const Term& inner : term.inside) term.depth = std::max(term.depth, inner.depth);
      ++term.depth;
      term.rows = term.inside.front().rows;
      term.columns = term.inside.back().columns;
    } else {
      const bool isTransposed = letter == 'J' && at < label.size() && label[at] == 't';
      if (isTransposed) ++at;
      term.text = isTransposed ? QStringLiteral("Jᵀ") : QString(letter);
      term.rows = letter == 'p' || isTransposed ? QStringLiteral("U") : QStringLiteral("R");
      if (letter == 'J') term.columns = isTransposed ? QStringLiteral("R") : QStringLiteral("U");
      term.width = metrics.horizontalAdvance(term.text);
    }
    terms.push_back(std::move(term));
  }
  return terms;
}

std::vector<Term> termsOf(const QString& label, const QFont& font) {
  qsizetype at = 0;
  return readTerms(label, at, QFontMetricsF(font));
}

class Painting {
 public:
  Painting(QPainter& painter, const QFont& font, bool isLegal)
      : m_painter(painter), m_font(font), m_isLegal(isLegal), m_metrics(font) {}

  // Paints the term from x on; y is the middle of its line of text. Returns the right end.
  double paint(const Term& term, double x, double y) {
    if (!term.isBracket()) {
      m_painter.setFont(m_font);
      m_painter.setPen(ink(m_isLegal ? Ink::Text : Ink::Muted));
      m_painter.drawText(QRectF(x, y - m_metrics.height(), term.width, 2 * m_metrics.height()),
                         Qt::AlignCenter, term.text);
      return x + term.width;
    }
    const double half = m_metrics.height() / 2 + SlabPadding * term.depth - 1;
    const QRectF slab(x, y - half, term.width, 2 * half);
    const Ink color = m_isLegal ? Ink::Product : Ink::Muted;
    setInks(m_painter, QPen(ink(color), 1.2), ink(color, 44));
    m_painter.drawRoundedRect(slab, 4, 4);
    double inner = x + SlabPadding;
    for (const Term& part : term.inside) inner = paint(part, inner, y) + TermGap;
    return x + term.width;
  }

 private:
  QPainter& m_painter;
  QFont m_font;
  bool m_isLegal;
  QFontMetricsF m_metrics;
};

QFont sizesFont(const QFont& font) {
  QFont small = font;
  small.setPointSizeF(font.pointSizeF() * SizesScale);
  return small;
}

double formulaHeight(const std::vector<Term>& terms, const QFont& font) {
  int depth = 0;
  for (const Term& term : terms) depth = std::max(depth, term.depth);
  return QFontMetricsF(font).height() + 2 * SlabPadding * depth;
}

constexpr int DeepestShown = 2;  // nested brackets

}  // namespace

bool isNotation(const QString& label) {
  static const QRegularExpression Product("^\\[*J[Jtp\\[\\]]*p\\]*$");
  if (!Product.match(label).hasMatch() || label.contains("[]")) return false;
  int depth = 0;
  for (const QChar letter : label) {
    depth += letter == '[' ? 1 : letter == ']' ? -1 : 0;
    if (depth < 0 || depth > DeepestShown) return false;
  }
  return depth == 0;
}

QSizeF notationSize(const QString& label, const QFont& font) {
  const std::vector<Term> terms = termsOf(label, font);
  return {widthOf(terms), QFontMetricsF(font).height() + 2 * SlabPadding * DeepestShown +
                              QFontMetricsF(sizesFont(font)).height() + 2};
}

void paintNotation(QPainter& painter, const QRectF& area, const QString& label, const QFont& font,
                   bool isLegal) {
  const std::vector<Term> terms = termsOf(label, font);
  const QSizeF size = notationSize(label, font);
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  const QFont small = sizesFont(font);
  const double sizesHeight = QFontMetricsF(small).height();
  double x = area.center().x() - size.width() / 2;
  const double top = area.center().y() - size.height() / 2;
  const double middle = top + (size.height() - sizesHeight - 2) / 2;
  const double below = middle + formulaHeight(terms, font) / 2 + 2;
  Painting painting(painter, font, isLegal);
  for (const Term& term : terms) {
    const double right = painting.paint(term, x, middle);
    if (term.isBracket()) {
      painter.setFont(small);
      painter.setPen(ink(Ink::Muted));
      painter.drawText(QRectF(x - 20, below, right - x + 40, sizesHeight), Qt::AlignCenter,
                       term.size());
    }
    x = right + TermGap;
  }
  painter.restore();
}

}  // namespace thallo::gui
