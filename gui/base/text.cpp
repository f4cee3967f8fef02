#include "gui/base/text.h"

#include <array>
#include <cmath>

#include <QLocale>

namespace thallo::gui {
namespace {

constexpr QChar Minus(0x2212);
// Numbers have the same format everywhere: 1,204.5.
const QLocale English(QLocale::English, QLocale::UnitedStates);

}  // namespace

QString toQt(const Diagnostic& diagnostic) { return toQt(diagnostic.message()); }

QString significant(double value, int digits) {
  if (value == 0) return QStringLiteral("0");
  if (!std::isfinite(value)) return value > 0 ? QStringLiteral("∞") : QStringLiteral("–");
  // Rounds first, because 0.9999 is displayed as 1.00.
  const double rounded = QString::number(value, 'e', digits - 1).toDouble();
  const int exponent = static_cast<int>(std::floor(std::log10(std::abs(rounded))));
  const int decimals = digits - 1 - exponent;
  if (decimals > 9 || exponent > 9) return QString::number(value, 'g', digits);
  return English.toString(value, 'f', std::max(0, decimals));
}

QString quantityText(double value, const QString& unit) {
  struct Prefix {
    double factor;
    const char* name;
  };
  static constexpr std::array Prefixes = {Prefix{1e12, "T"}, Prefix{1e9, "G"},  Prefix{1e6, "M"},
                                          Prefix{1e3, "k"},  Prefix{1, ""},     Prefix{1e-3, "m"},
                                          Prefix{1e-6, "µ"}, Prefix{1e-9, "n"}, Prefix{1e-12, "p"}};
  if (value == 0 || !std::isfinite(value)) return significant(value) + ' ' + unit;
  for (const Prefix& prefix : Prefixes) {
    // 999.95 would round to 1,000 of a unit, which is 1 of the next unit.
    if (std::abs(value) >= prefix.factor * 0.9995)
      return significant(value / prefix.factor) + ' ' + QString::fromUtf8(prefix.name) + unit;
  }
  return QString::number(value, 'g', 3) + ' ' + unit;
}

QString secondsText(double seconds) {
  if (std::isinf(seconds)) return QStringLiteral("does not fit");
  return quantityText(seconds, QStringLiteral("s"));
}

QString timeText(double seconds, bool isMeasured) {
  const bool isGuess = !isMeasured && std::isfinite(seconds);
  return (isGuess ? QStringLiteral("≈ ") : QString()) + secondsText(seconds);
}

QString bytesText(double bytes) { return quantityText(bytes, QStringLiteral("B")); }

QString countText(double count) {
  if (count >= 1e15) return QString::number(count, 'g', 3);
  return English.toString(count, 'f', 0);
}

QString spreadText(double seconds, std::optional<double> spread) {
  const QString text = secondsText(seconds);
  if (!spread || !(seconds > 0) || std::isinf(seconds)) return text;
  return QStringLiteral("%1 ± %2 %").arg(text, significant(100 * *spread / seconds, 2));
}

QString ratioText(double from, double to) {
  if (!(from > 0) || !(to > 0) || std::isinf(from) || std::isinf(to)) return {};
  const double ratio = from / to;
  if (std::abs(ratio - 1) < 0.005) return QStringLiteral("the same");
  return ratio > 1 ? significant(ratio) + QStringLiteral("× faster")
                   : significant(1 / ratio) + QStringLiteral("× slower");
}

QString signedText(double value, const QString& magnitude) {
  return (value < 0 ? QString(Minus) : QStringLiteral("+")) + magnitude;
}

QString changeText(double from, double to) {
  if (!(from > 0) || std::isinf(from) || std::isinf(to)) return {};
  const double percent = 100 * (to / from - 1);
  if (std::abs(percent) < 0.05) return QStringLiteral("no change");
  return signedText(percent, significant(std::abs(percent), std::abs(percent) < 10 ? 2 : 3)) +
         QStringLiteral(" % (") + signedText(to - from, secondsText(std::abs(to - from))) + ')';
}

}  // namespace thallo::gui
