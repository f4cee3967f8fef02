// Formats numbers and words as the app shows them: three significant digits with units, and ratios
// in words.
#pragma once

#include <concepts>
#include <optional>
#include <string_view>

#include <QString>

#include "core/base/diagnostic.h"

namespace thallo::gui {

inline QString toQt(std::string_view text) {
  return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}
QString toQt(const Diagnostic& diagnostic);  // returns its message

QString significant(double value, int digits = 3);        // "0.0123", "1.20", "345", "1,204"
QString quantityText(double value, const QString& unit);  // "12.3 µs", "4.10 GB"
QString secondsText(double seconds);                      // "12.3 µs"; "does not fit" if infinite
QString timeText(double seconds, bool isMeasured);        // with "≈ " if not measured
QString bytesText(double bytes);                          // "4.10 MB", in powers of 1000
QString countText(double count);                          // "1,204", "3.2e+21"
QString countText(std::integral auto count) { return countText(static_cast<double>(count)); }
// Returns "12.3 µs ± 1.2 %", where the spread is given in seconds; without one, the time.
QString spreadText(double seconds, std::optional<double> spread);
// Returns "1.80× faster", "1.25× slower" or "the same".
QString ratioText(double from, double to);
// Returns the text with the sign of the value: "−41 µs", "+23 %".
QString signedText(double value, const QString& magnitude);
// Returns for example "−23 % (−41 µs)".
QString changeText(double from, double to);

}  // namespace thallo::gui
