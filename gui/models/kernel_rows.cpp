#include "gui/models/kernel_rows.h"

#include <algorithm>
#include <cmath>

#include <QRegularExpression>

#include "core/kernel/frequency.h"
#include "gui/models/text.h"

namespace thallo::gui {
namespace {

// Returns what the kernel itself says, before more is known about its step.
StepFacts factsOf(const KernelText& kernel) {
  StepFacts facts{.label = labelOf(kernel),
                  .isKernel = true,
                  .frequency = {},
                  .over = {},
                  .flops = 0,
                  .bytes = 0,
                  .atomics = 0,
                  .predicted = 0,
                  .times = {},
                  .askedBy = {}};
  if (kernel.launches.empty()) return facts;
  const KernelLaunch& launch = kernel.launches.front();
  facts.frequency = toQt(to_string(frequency_of(launch.phase)));
  facts.flops = launch.features.flops;
  facts.bytes = launch.features.must_read + launch.features.must_write;
  facts.atomics = launch.features.atomics;
  return facts;
}

// Returns the most registers that a thread of the kernel can have: 255, or less if the block has so
// many threads that 255 for each are not available.
int mostRegisters(const QString& text) {
  constexpr int PerBlock = 65536, PerThread = 255, Granularity = 8;
  static const QRegularExpression Threads("__launch_bounds__\\((\\d+)");
  const auto match = Threads.match(text);
  if (!match.hasMatch()) return PerThread;
  const int share = PerBlock / std::max(1, match.captured(1).toInt());
  return std::min(PerThread, share / Granularity * Granularity);
}

void addCompiled(const KernelResources& compiled, KernelRow& row) {
  row.isCompiled = true;
  if (compiled.registers > 0) {
    row.registers = compiled.registers;
    row.stackBytes = compiled.spill_bytes;
    // Called functions, such as sine, have a stack of their own.
    row.spills = compiled.spill_bytes > 0 && compiled.registers >= mostRegisters(row.text);
  }
  row.compileSeconds = compiled.seconds;
  row.isFromCache = compiled.from_cache;
  row.warnings = toQt(compiled.warnings).trimmed();
}

void addTime(const TimeEstimate& time, KernelRow& row) {
  double seconds = 0;
  for (const TimeSegment& segment : time.segments) {
    if (segment.label != row.label()) continue;
    row.runs += segment.runs;
    row.facts.predicted = segment.predicted;
    row.measured = segment.measured;
    seconds += segment.seconds();
  }
  if (std::isfinite(time.seconds()) && time.seconds() > 0) row.share = seconds / time.seconds();
}

}  // namespace

QString labelOf(const KernelText& kernel) {
  return toQt(kernel.launches.empty() ? kernel.label : kernel.launches.front().label);
}

QStringList fieldsOf(const KernelText& kernel) {
  QStringList fields;
  // Parses lines such as "// f0 = Mask over (W, H)", and one line with the label.
  for (QString line : toQt(kernel.slots).split('\n', Qt::SkipEmptyParts)) {
    while (line.startsWith('/') || line.startsWith(' ')) line.remove(0, 1);
    if (line.contains(QStringLiteral(" = "))) fields.append(line);
  }
  return fields;
}

std::vector<KernelRow> kernelRows(const std::vector<KernelText>& kernels,
                                  const std::vector<StepFacts>& steps, const TimeEstimate& time) {
  std::vector<KernelRow> rows;
  for (const KernelText& kernel : kernels) {
    KernelRow row;
    const auto step = std::ranges::find(steps, labelOf(kernel), &StepFacts::label);
    row.facts = step == steps.end() ? factsOf(kernel) : *step;
    row.text = toQt(kernel.text);
    row.fields = fieldsOf(kernel);
    if (kernel.compiled) addCompiled(*kernel.compiled, row);
    rows.push_back(std::move(row));
  }
  for (const StepFacts& step : steps) {
    if (step.isKernel) continue;
    rows.emplace_back();
    rows.back().facts = step;
  }
  for (KernelRow& row : rows) addTime(time, row);
  std::ranges::stable_sort(rows, std::ranges::greater(), &KernelRow::share);
  return rows;
}

}  // namespace thallo::gui
