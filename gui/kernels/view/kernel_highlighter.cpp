#include "gui/kernels/view/kernel_highlighter.h"

#include "gui/widgets/theme.h"

namespace thallo::gui {
namespace {

// Generated texts contain only comments that end with the line.
constexpr const char* Comment = "//.*$";
constexpr const char* Directive = "^\\s*#.*$";
constexpr const char* Number = "\\b\\d[\\d.]*(e[+-]?\\d+)?[fuUlL]*\\b";
constexpr const char* String = "\"[^\"]*\"";
constexpr const char* Keyword =
    "\\b(break|case|const|continue|do|else|enum|extern|for|if|inline|restrict|return|static|struct|"
    "switch|"
    "typedef|volatile|while|asm)\\b";
constexpr const char* Type =
    "\\b(void|bool|char|short|int|long|unsigned|signed|float|double|u?idx_t|size_t|u?int\\d+_t|"
    "(float|double|int|uint)[1234]|Args|__half2?)\\b";
// Words that the device's language adds to C.
constexpr const char* DeviceWord =
    "\\b(__\\w+__|__\\w+|threadIdx|blockIdx|blockDim|gridDim|atomic\\w+|__restrict__)\\b";

}  // namespace

KernelHighlighter::KernelHighlighter(QTextDocument* document) : QSyntaxHighlighter(document) {
  refresh();
}

void KernelHighlighter::setArguments(const QStringList& words) {
  if (words == m_arguments) return;
  m_arguments = words;
  refresh();
}

void KernelHighlighter::refresh() {
  const auto inked = [](Ink color, bool isBold = false) {
    QTextCharFormat format;
    format.setForeground(ink(color));
    if (isBold) format.setFontWeight(QFont::DemiBold);
    return format;
  };
  m_rules = {{QRegularExpression(Number), inked(Ink::Cut)},
             {QRegularExpression(Keyword), inked(Ink::Accent, true)},
             {QRegularExpression(Type), inked(Ink::Intermediate)},
             {QRegularExpression(DeviceWord), inked(Ink::Product)},
             {QRegularExpression(Directive), inked(Ink::Muted)},
             {QRegularExpression(String), inked(Ink::Unknown)},
             {QRegularExpression(Comment), inked(Ink::Muted)}};
  if (!m_arguments.isEmpty()) {
    m_rules.insert(m_rules.begin(),
                   {QRegularExpression(QStringLiteral("\\b(%1)\\b").arg(m_arguments.join('|'))),
                    inked(Ink::Good, true)});
  }
  rehighlight();
}

void KernelHighlighter::highlightBlock(const QString& text) {
  for (const Rule& rule : m_rules) {
    auto matches = rule.pattern.globalMatch(text);
    while (matches.hasNext()) {
      const auto match = matches.next();
      setFormat(static_cast<int>(match.capturedStart()), static_cast<int>(match.capturedLength()),
                rule.format);
    }
  }
}

}  // namespace thallo::gui
