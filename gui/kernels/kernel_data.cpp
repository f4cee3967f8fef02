#include "gui/kernels/kernel_data.h"

#include <algorithm>

#include "gui/base/text.h"

namespace thallo::gui {

QString roleOf(const QString& label) { return label.section(" [", 0, 0); }

QString partOf(const QString& label) {
  const qsizetype bracket = label.indexOf(" [");
  return bracket < 0 ? QString() : label.mid(bracket + 2).chopped(1);
}

QString waitsText(const StepFacts& facts) {
  double all = 0;
  for (const auto& [wait, seconds] : facts.waits) all += seconds;
  QStringList texts;
  for (const auto& [wait, seconds] : facts.waits) {
    if (seconds < 0.01 * all) continue;
    texts << QStringLiteral("%1 %2 %").arg(toQt(to_string(wait)),
                                           significant(100 * seconds / all, 2));
  }
  return texts.join(QStringLiteral(", "));
}

const KernelRow* KernelSnapshot::find(const QString& label) const {
  const auto row = std::ranges::find(rows, label, &KernelRow::label);
  return row == rows.end() ? nullptr : &*row;
}

std::size_t KernelSnapshot::numKernels() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(rows, [](const KernelRow& row) { return !row.text.isEmpty(); }));
}

std::size_t KernelSnapshot::numCompiled() const {
  return static_cast<std::size_t>(std::ranges::count_if(rows, &KernelRow::isCompiled));
}

}  // namespace thallo::gui
