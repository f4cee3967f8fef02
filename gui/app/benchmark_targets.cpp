#include "gui/app/benchmark_targets.h"

#include <QStringList>

#include "gui/base/text.h"

namespace thallo::gui {

void BenchmarkTarget::add(const std::optional<double>& value, const QString& of) {
  if (!value) return;
  const bool isWorse = !measured || (isAtLeast ? *value < *measured : *value > *measured);
  if (!isWorse) return;
  measured = value;
  where = of;
}

bool BenchmarkTarget::isMet() const {
  return measured && (isAtLeast ? *measured >= limit : *measured < limit);
}

QString targetsText(const std::vector<BenchmarkTarget>& targets) {
  QString text =
      QStringLiteral("%1 %2 %3\n").arg("target", -50).arg("wanted", 12).arg("measured", 12);
  QStringList missed;
  for (const BenchmarkTarget& target : targets) {
    const QString wanted = (target.isAtLeast ? "≥ " : "< ") + countText(target.limit);
    text += QStringLiteral("%1 %2 %3 %4%5\n")
                .arg(target.what, -50)
                .arg(wanted + ' ' + target.unit, 12)
                .arg(target.measured ? significant(*target.measured) + ' ' + target.unit
                                     : QStringLiteral("–"),
                     12)
                .arg(target.isMet() ? "met" : "MISSED")
                .arg(target.where.isEmpty() ? QString() : " (" + target.where + ')');
    if (!target.isMet()) missed << target.what;
  }
  text += missed.isEmpty() ? QStringLiteral("all targets are met\n")
                           : QStringLiteral("missed: %1\n").arg(missed.join("; "));
  return text;
}

}  // namespace thallo::gui
