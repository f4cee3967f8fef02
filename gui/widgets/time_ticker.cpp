#include "gui/widgets/time_ticker.h"

#include <array>
#include <cmath>
#include <span>

#include "gui/base/text.h"

namespace thallo::gui {
namespace {

constexpr std::array One = {1.0};
constexpr std::array Three = {1.0, 3.0};
constexpr std::array Fine = {1.0, 1.2, 1.4, 1.7, 2.0, 2.5, 3.0, 3.5, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0};
constexpr std::array Many = {1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 7.0};
constexpr std::array OneTwoFive = {1.0, 2.0, 5.0};

// Returns the factors within a decade that give about the desired number of ticks.
std::span<const double> factors(double decades, int numWanted) {
  const double perDecade = numWanted / std::max(decades, 1e-9);
  if (perDecade >= 14) return Fine;
  if (perDecade >= 7) return Many;
  if (perDecade >= 3) return OneTwoFive;
  if (perDecade >= 2) return Three;
  return One;
}

}  // namespace

TimeTicker::TimeTicker(bool isLog, int numWanted) : m_isLog(isLog), m_numWanted(numWanted) {
  setTickCount(numWanted);
}

double TimeTicker::getTickStep(const QCPRange& range) { return QCPAxisTicker::getTickStep(range); }

QVector<double> TimeTicker::createTickVector(double step, const QCPRange& range) {
  const double decades = range.lower > 0 ? std::log10(range.upper / range.lower) : 0;
  // Within a fraction of a decade, a logarithmic axis is nearly linear.
  if (!m_isLog || decades < 0.25) return QCPAxisTicker::createTickVector(step, range);
  QVector<double> ticks;
  const std::span<const double> all = factors(decades, m_numWanted);
  const int stride = std::max(1, static_cast<int>(std::ceil(decades / m_numWanted)));
  const int first = static_cast<int>(std::floor(std::log10(range.lower)));
  const int last = static_cast<int>(std::ceil(std::log10(range.upper)));
  for (int decade = first; decade <= last; ++decade) {
    if (decade % stride != 0) continue;
    for (const double factor : all) {
      const double tick = factor * std::pow(10.0, decade);
      if (tick >= range.lower && tick <= range.upper) ticks.append(tick);
    }
  }
  return ticks;
}

QVector<double> TimeTicker::createSubTickVector(int count, const QVector<double>& ticks) {
  return m_isLog ? QVector<double>() : QCPAxisTicker::createSubTickVector(count, ticks);
}

QString TimeTicker::getTickLabel(double tick, const QLocale& /*locale*/, QChar /*format*/,
                                 int /*precision*/) {
  if (tick < 0) return {};
  if (tick == 0) return QStringLiteral("0");
  // "50 µs", not "50.0 µs".
  const double exponent = std::floor(std::log10(tick * (1 + 1e-9)) / 3);
  const double mantissa = tick / std::pow(1000.0, exponent);
  static const QString Prefixes = QStringLiteral("pnµm kMG");
  const int prefix = static_cast<int>(exponent) + 4;
  if (prefix < 0 || prefix >= Prefixes.size()) return secondsText(tick);
  const QString unit = prefix == 4 ? QStringLiteral("s") : Prefixes.mid(prefix, 1) + 's';
  return QString::number(mantissa, 'g', 4) + ' ' + unit;
}

}  // namespace thallo::gui
