#include "gui/kernels/step_facts.h"

#include <algorithm>

#include <QObject>

#include "core/cost/model/analytic.h"
#include "core/explore/report/explanation.h"
#include "core/kernel/frequency.h"
#include "gui/base/text.h"

namespace thallo::gui {
namespace {

std::vector<std::pair<QString, double>> timesOf(const StepTimes& times) {
  std::vector<std::pair<QString, double>> result = {
      {QObject::tr("its launch"), times.start}, {QObject::tr("memory"), times.memory},
      {QObject::tr("the cache"), times.cache},  {QObject::tr("atomics"), times.additions},
      {QObject::tr("stores"), times.sending},   {QObject::tr("its threads"), times.threads}};
  std::erase_if(result, [](const auto& time) { return !(time.second > 0); });
  std::ranges::stable_sort(result, std::ranges::greater(), &std::pair<QString, double>::second);
  return result;
}

StepFacts factsOf(const StepWork& step) {
  return {.label = toQt(step.label),
          .isKernel = step.kind == StepWork::Kind::Kernel,
          .frequency = toQt(to_string(frequency_of(step.phase))),
          .over = {},
          .flops = step.features.flops.total(),
          .bytes = step.features.must_move(),
          .atomics = step.features.atomics,
          .predicted = 0,
          .times = {},
          .askedBy = {}};
}

// For a step outside of iterations, for which there is no prediction.
StepFacts unpricedFacts(const ExplainedKernel& kernel) {
  return {.label = toQt(kernel.label),
          .isKernel = true,
          .frequency = toQt(to_string(frequency_of(kernel.phase))),
          .over = {},
          .flops = kernel.features.flops.total(),
          .bytes = kernel.features.must_move(),
          .atomics = kernel.features.atomics,
          .predicted = 0,
          .times = {},
          .askedBy = {}};
}

}  // namespace

Expected<std::vector<StepFacts>> stepFacts(const ExploredProblem& problem, const Schedule& schedule,
                                           const ProgramWork& work, const Prediction& prediction,
                                           const DeviceSpec& device) {
  const auto explained = explain(problem.file.energy, schedule, *problem.constructs,
                                 problem.program, problem.instance.binding, problem.precision);
  if (!explained) return fail(explained.error());
  std::vector<StepFacts> all;
  for (std::size_t i = 0; i < work.steps.size(); ++i) {
    const StepWork& step = work.steps[i];
    if (std::ranges::find(all, toQt(step.label), &StepFacts::label) != all.end()) continue;
    StepFacts facts = factsOf(step);
    facts.predicted = prediction.steps[i];
    facts.times = timesOf(analytic_times(step, work, device));
    all.push_back(std::move(facts));
  }
  for (const ExplainedKernel& kernel : explained->kernels) {
    auto facts = std::ranges::find(all, toQt(kernel.label), &StepFacts::label);
    if (facts == all.end()) facts = all.insert(all.end(), unpricedFacts(kernel));
    if (!facts->over.isEmpty() || !facts->askedBy.isEmpty()) continue;
    for (const std::string& points : kernel.over) facts->over.append(toQt(points));
    for (const std::string& directive : kernel.asked_by) facts->askedBy.append(toQt(directive));
  }
  return all;
}

DeviceRoofs roofsOf(const DeviceSpec& device, Precision precision) {
  return {.memory = device.copy,
          .cache = device.cached_copy,
          .arithmetic = precision == Precision::Double ? device.double_flops : device.float_flops};
}

}  // namespace thallo::gui
