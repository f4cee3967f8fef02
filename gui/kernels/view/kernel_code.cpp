#include "gui/kernels/view/kernel_code.h"

#include <algorithm>
#include <utility>

#include <QRegularExpression>
#include <QStringList>

#include "gui/base/text.h"
#include "gui/widgets/code_view.h"
#include "gui/widgets/elided.h"
#include "gui/widgets/layouts.h"
#include "gui/widgets/rule_highlighter.h"
#include "gui/widgets/step_looks.h"
#include "gui/widgets/theme.h"

namespace thallo::gui {
namespace {

constexpr const char* KeywordPattern =
    "\\b(break|case|const|continue|do|else|enum|extern|for|if|inline|restrict|return|static|struct|"
    "switch|"
    "typedef|volatile|while|asm)\\b";
constexpr const char* TypePattern =
    "\\b(void|bool|char|short|int|long|unsigned|signed|float|double|u?idx_t|size_t|u?int\\d+_t|"
    "(float|double|int|uint)[1234]|Args|__half2?)\\b";
// Words that the device's language adds to C.
constexpr const char* DeviceWordPattern =
    "\\b(__\\w+__|__\\w+|threadIdx|blockIdx|blockDim|gridDim|atomic\\w+|__restrict__)\\b";

// The rules for C and CUDA code, with the arguments of the kernel.
std::vector<RuleHighlighter::Rule> rulesFor(const QStringList& arguments) {
  std::vector<RuleHighlighter::Rule> rules;
  const auto add = [&rules](const QString& pattern, Ink color, bool isBold = false) {
    rules.push_back({QRegularExpression(pattern), color, isBold});
  };
  if (!arguments.isEmpty())
    add(QStringLiteral("\\b(%1)\\b").arg(arguments.join('|')), Ink::Good, true);
  add("\\b\\d[\\d.]*(e[+-]?\\d+)?[fuUlL]*\\b", Ink::Cut);  // numbers
  add(KeywordPattern, Ink::Accent, true);
  add(TypePattern, Ink::Intermediate);
  add(DeviceWordPattern, Ink::Product);
  add("^\\s*#.*$", Ink::Muted);     // directives
  add("\"[^\"]*\"", Ink::Unknown);  // texts
  add("//.*$", Ink::Muted);         // comments, which end with the line in generated texts
  return rules;
}

// "once a linear iteration over W x H  ·  2.10 µs estimated, bound by memory"
QString factsText(const KernelRow& row) {
  QStringList facts;
  QString runs = row.runs > 1
                     ? QObject::tr("%1 times a nonlinear iteration").arg(countText(row.runs))
                     : QObject::tr("once a %1").arg(row.facts.frequency);
  if (!row.facts.over.isEmpty()) runs += QObject::tr(" over %1").arg(row.facts.over.join(", "));
  facts << runs;
  if (row.seconds() > 0) {
    QString time = secondsText(row.seconds()) +
                   (row.measured ? QObject::tr(" measured") : QObject::tr(" estimated"));
    facts << time;
    if (!row.facts.waits.empty()) facts << QObject::tr("waits for %1").arg(waitsText(row.facts));
  }
  return facts.join(QStringLiteral("  ·  "));
}

QString askersText(const KernelRow& row, bool areKnown) {
  if (!areKnown) return QObject::tr("Finding out who asked for it …");
  if (row.facts.askedBy.isEmpty()) return QObject::tr("The default schedule has it too");
  return QObject::tr("Asked for by %1").arg(row.facts.askedBy.join(QStringLiteral("  ·  ")));
}

// Returns the first changed line of the body, with some lines of context; the first line of the
// body if none changed.
int firstChange(const std::vector<LineChange>& changes, int body) {
  constexpr int NumBefore = 3;
  const auto isChange = [](LineChange change) { return change != LineChange::None; };
  const auto begin = changes.begin() + std::min<std::ptrdiff_t>(body, std::ssize(changes));
  const auto changed = std::find_if(begin, changes.end(), isChange);
  if (changed == changes.end()) return body;
  return std::max(body, static_cast<int>(changed - changes.begin()) - NumBefore);
}

}  // namespace

KernelCode::KernelCode() : m_code(named(new CodeView, "kernelText", tr("Text of the kernel"))) {
  auto* head = makeColumn({}, {12, 8, 12, 8}, 4);
  const auto line = [head](const char* name, QPalette::ColorRole role = QPalette::NoRole) {
    auto* label = named(new ElidedLabel, name);
    label->setForegroundRole(role);
    head->addWidget(label);
    return label;
  };
  m_title = line("kernelTitle");
  m_title->setFont(titleFont());
  m_facts = line("kernelFacts", QPalette::PlaceholderText);
  m_remedy = line("kernelRemedy", QPalette::PlaceholderText);
  m_askers = line("kernelAskers");
  m_fields = line("kernelFields", QPalette::PlaceholderText);
  m_change = line("kernelChange");
  m_preamble = named(new QToolButton, "kernelPreamble");
  m_preamble->setCheckable(true);
  m_preamble->setAutoRaise(true);
  m_preamble->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  m_preamble->setArrowType(Qt::RightArrow);
  m_preamble->setToolTip(tr("Shows the types and helper functions above the kernel"));
  connect(m_preamble, &QToolButton::toggled, this, &KernelCode::onPreambleToggled);
  head->addWidget(m_preamble, 0, Qt::AlignLeft);
  setLayout(makeColumn({head, {m_code, 1}}, {0, 0, 0, 0}, 0));
  m_code->setExplanation([this](const QString& word) { return explain(word); });
  connect(m_code, &CodeView::lineChosen, this, [this](int shown) {
    if (const std::vector<int> lines = linesOf(shown); !lines.empty())
      Q_EMIT lineChosen(lines.front());
  });
  m_highlighter = new RuleHighlighter(m_code->document(), rulesFor({}));
  onThemeChange(*this, [this] {
    m_highlighter->rehighlight();
    stripe();
  });
}

void KernelCode::setStep(const std::shared_ptr<const KernelSnapshot>& snapshot,
                         const QString& label, const std::shared_ptr<const OtherTexts>& other) {
  const KernelRow* row = snapshot ? snapshot->find(label) : nullptr;
  const OtherKernel* before = other ? other->find(label) : nullptr;
  m_label = row == nullptr && before == nullptr ? QString() : label;
  for (QLabel* text : {m_title, m_facts, m_remedy, m_askers, m_fields}) {
    text->clear();
    text->setToolTip({});
  }
  m_fieldTexts.clear();
  m_linesOf.clear();
  m_change->setVisible(other != nullptr && !m_label.isEmpty());
  if (m_label.isEmpty()) {
    m_text = m_before = {};
    m_other.clear();
    m_preamble->hide();
    m_code->setChanges({});
    m_code->clear();
    return;
  }
  const QString part = partOf(row == nullptr ? label : row->facts.shown);
  m_title->setText(part.isEmpty() ? label : tr("%1 of %2").arg(roleOf(label), part));
  m_title->setToolTip(label);
  if (row != nullptr) {
    m_facts->setText(factsText(*row));
    m_facts->setToolTip(m_facts->text());
    if (!row->facts.remedy.isEmpty())
      m_remedy->setText(tr("What would help: %1").arg(row->facts.remedy));
    m_remedy->setToolTip(m_remedy->text());
    m_askers->setText(askersText(*row, snapshot->hasAskers));
    m_askers->setToolTip(row->facts.askedBy.join('\n'));
    m_fieldTexts = row->fields;
    m_linesOf = row->linesOf;
  }
  m_remedy->setVisible(!m_remedy->text().isEmpty());
  showFields();
  Text text, there;
  if (row != nullptr) text = {row->preamble, row->text, !row->text.isEmpty()};
  if (before != nullptr) there = {before->preamble, before->text, !before->text.isEmpty()};
  showText(text, there, other ? other->schedule : QString());
}

void KernelCode::showFields() {
  QStringList names, meanings;  // names without domains, which are in tool tips
  QStringList words;
  for (const QString& field : m_fieldTexts) {
    const QString word = field.section(" = ", 0, 0), meaning = field.section(" = ", 1);
    words << word;
    names << meaning.section(" over ", 0, 0).section(" from ", 0, 0);
    meanings << (meaning.startsWith(word) ? meaning : field);
  }
  m_fields->setText(names.join(QStringLiteral("  ·  ")));
  m_fields->setToolTip(meanings.join('\n'));
  m_fields->setVisible(!names.isEmpty());
  if (std::exchange(m_arguments, words) != words) m_highlighter->setRules(rulesFor(words));
}

void KernelCode::showText(const Text& text, const Text& before, const QString& other) {
  const bool isKnown =
      text == m_text && before == m_before && other == m_other && !m_code->document()->isEmpty();
  if (isKnown) return stripe();
  m_text = text;
  m_before = before;
  m_other = other;
  layOutText();
}

void KernelCode::onPreambleToggled() {
  m_preamble->setArrowType(m_preamble->isChecked() ? Qt::DownArrow : Qt::RightArrow);
  if (!m_label.isEmpty()) layOutText();
}

void KernelCode::layOutText() {
  m_firstLine = 0;
  m_lastLine = -1;
  m_ownLines.clear();
  m_change->clear();
  const Text& one = m_text.isThere ? m_text : m_before;
  m_preamble->setVisible(!one.preamble.isEmpty());
  if (!one.isThere) {
    m_code->setChanges({});
    m_code->setPlainText(tr("A library, or the driver, carries this step out: it has no text."));
    return stripe();
  }
  m_preamble->setText(tr("%n lines of types and helper functions", nullptr,
                         static_cast<int>(one.preamble.count('\n'))));
  const bool isCompared = !m_other.isEmpty();
  const auto diffOf = [&](QString Text::*piece) {
    if (isCompared && m_text.isThere && m_before.isThere)
      return lineDiff(m_before.*piece, m_text.*piece);
    const QStringList lines = (one.*piece).split('\n');
    const LineChange change = !isCompared      ? LineChange::None
                              : m_text.isThere ? LineChange::Added
                                               : LineChange::Removed;
    return LineDiff{lines, std::vector(static_cast<std::size_t>(lines.size()), change)};
  };
  const LineDiff preamble = diffOf(&Text::preamble);
  LineDiff shown = diffOf(&Text::text);
  if (isCompared && !m_text.isThere) {
    m_change->setText(tr("Only in %1").arg(m_other));
  } else if (isCompared && !m_before.isThere) {
    m_change->setText(tr("%1 has no such kernel").arg(m_other));
  } else if (isCompared) {
    const int added = shown.count(LineChange::Added) + preamble.count(LineChange::Added);
    const int removed = shown.count(LineChange::Removed) + preamble.count(LineChange::Removed);
    m_change->setText(
        added + removed == 0
            ? tr("The same in %1").arg(m_other)
            : tr("Against %1: %2 lines added, %3 removed").arg(m_other).arg(added).arg(removed));
  }
  if (m_preamble->isChecked() && !one.preamble.isEmpty()) {
    // The preamble ends with a line end, so that its last line is empty.
    m_firstLine = static_cast<int>(preamble.lines.size()) - 1;
    shown.lines = preamble.lines.first(m_firstLine) + shown.lines;
    shown.changes.insert(shown.changes.begin(), preamble.changes.begin(),
                         preamble.changes.begin() + m_firstLine);
  }
  int numOwn = 0;
  for (std::size_t line = 0; line < shown.changes.size(); ++line) {
    const bool isOwn = static_cast<int>(line) >= m_firstLine && m_text.isThere &&
                       shown.changes[line] != LineChange::Removed;
    m_ownLines.push_back(isOwn ? numOwn++ : -1);
  }
  m_code->setPlainText(shown.lines.join('\n'));
  m_lastLine = static_cast<int>(shown.lines.size()) - 1;
  while (m_lastLine > m_firstLine && shown.lines[m_lastLine].isEmpty()) --m_lastLine;
  const int firstToRead = m_preamble->isChecked() ? 0 : firstChange(shown.changes, m_firstLine);
  m_code->setChanges(isCompared ? std::move(shown.changes) : std::vector<LineChange>());
  stripe();
  m_code->showFrom(firstToRead);
}

void KernelCode::stripe() {
  m_code->setStripe(m_firstLine, m_lastLine, ink(inkOfStep(m_label)));
  light();
}

void KernelCode::setLinked(const std::set<int>& lines) {
  if (lines == m_linked) return;
  m_linked = lines;
  light();
}

void KernelCode::light() {
  std::vector<int> lit;
  const auto isLinked = [this](int line) { return m_linked.contains(line); };
  for (int line = m_firstLine; !m_linked.empty() && line <= m_lastLine; ++line)
    if (std::ranges::any_of(linesOf(line), isLinked)) lit.push_back(line);
  m_code->setLinked(lit);
}

std::vector<int> KernelCode::linesOf(int line) const {
  const auto shown = static_cast<std::size_t>(line);
  const int own = shown < m_ownLines.size() ? m_ownLines[shown] : -1;
  const auto at = static_cast<std::size_t>(own);
  return own >= 0 && at < m_linesOf.size() ? m_linesOf[at] : std::vector<int>();
}

QString KernelCode::explain(const QString& word) const {
  const auto found = std::ranges::find_if(
      m_fieldTexts, [&word](const QString& field) { return field.startsWith(word + " = "); });
  return found == m_fieldTexts.end() ? QString() : *found;
}

}  // namespace thallo::gui
