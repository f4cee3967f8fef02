#include "gui/kernels/kernel_rows.h"

#include <algorithm>
#include <cmath>

#include "core/explore/worker/worker_kernels.h"
#include "core/kernel/frequency.h"
#include "gui/base/text.h"

namespace thallo::gui {
namespace {

// Returns what the kernel itself says, before more is known about its step.
StepFacts factsOf(const KernelText& kernel) {
  StepFacts facts{.label = labelOf(kernel), .shown = labelOf(kernel), .isKernel = true};
  if (kernel.launches.empty()) return facts;
  const KernelLaunch& launch = kernel.launches.front();
  facts.frequency = toQt(to_string(frequency_of(launch.phase)));
  facts.flops = launch.flops;
  facts.bytes = launch.must_move;
  facts.atomics = launch.atomics;
  return facts;
}

void addCompiled(const KernelText& kernel, KernelRow& row) {
  if (!kernel.compiled) return;
  const CompiledKernel& compiled = *kernel.compiled;
  row.isCompiled = true;
  if (compiled.registers > 0) {
    row.registers = compiled.registers;
    row.stackBytes = compiled.spill_bytes;
    row.spills = spills_registers(compiled, kernel.block_threads.value_or(1));
  }
  row.compileSeconds = compiled.compile_seconds;
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

std::vector<KernelRow> kernelRows(const std::vector<KernelText>& kernels,
                                  const std::vector<StepFacts>& steps, const TimeEstimate& time) {
  std::vector<KernelRow> rows;
  for (const KernelText& kernel : kernels) {
    KernelRow row;
    const auto step = std::ranges::find(steps, labelOf(kernel), &StepFacts::label);
    row.facts = step == steps.end() ? factsOf(kernel) : *step;
    row.preamble = toQt(kernel.preamble);
    row.text = toQt(kernel.text);
    row.linesOf = kernel.lines_of;
    for (const std::string& slot : kernel.slots) row.fields.append(toQt(slot));
    addCompiled(kernel, row);
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
