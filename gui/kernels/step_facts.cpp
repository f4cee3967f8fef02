#include "gui/kernels/step_facts.h"

#include <algorithm>

#include <QObject>

#include "core/explore/report/explanation.h"
#include "core/kernel/frequency.h"
#include "core/schedule/shown_names.h"
#include "gui/base/text.h"

namespace thallo::gui {
namespace {

std::vector<std::pair<Wait, double>> waitsOf(const TimeParts& parts) {
  std::vector<std::pair<Wait, double>> waits;
  for (const Wait wait : AllWaits)
    if (parts[wait] > 0) waits.emplace_back(wait, parts[wait]);
  std::ranges::stable_sort(waits, std::ranges::greater(), &std::pair<Wait, double>::second);
  return waits;
}

StepFacts factsOf(const StepWork& step, const ShownNames& shown) {
  return {.label = toQt(step.label),
          .shown = toQt(shown.label(step.label)),
          .isKernel = step.kind == StepWork::Kind::Kernel,
          .frequency = toQt(to_string(frequency_of(step.phase))),
          .flops = step.features.flops.total(),
          .bytes = step.features.must_move(),
          .atomics = step.features.atomics};
}

// For a step outside of iterations, for which there is no prediction.
StepFacts unpricedFacts(const ExplainedKernel& kernel, const ShownNames& shown) {
  return {.label = toQt(kernel.label),
          .shown = toQt(shown.label(kernel.label)),
          .isKernel = true,
          .frequency = toQt(to_string(frequency_of(kernel.phase))),
          .flops = kernel.features.flops.total(),
          .bytes = kernel.features.must_move(),
          .atomics = kernel.features.atomics};
}

}  // namespace

Expected<std::vector<StepFacts>> stepFacts(OpenProblem& problem, const Schedule& schedule) {
  const auto plan = problem.plan(schedule);
  if (!plan) return fail(plan.error());
  const auto [work, prediction] = problem.pricer().price(*plan);
  const auto explained =
      explain(problem.energy(), schedule, problem.constructs(), problem.explored().program,
              problem.explored().instance.binding, problem.precision());
  if (!explained) return fail(explained.error());
  const PriceScope scope = problem.scope();
  const ShownNames shown(problem.energy(), *plan);
  std::vector<StepFacts> all;
  for (std::size_t i = 0; i < work.steps.size(); ++i) {
    const StepWork& step = work.steps[i];
    if (std::ranges::find(all, toQt(step.label), &StepFacts::label) != all.end()) continue;
    StepFacts facts = factsOf(step, shown);
    facts.predicted = prediction.steps[i];
    const TimeParts parts = scope.model.parts(step, work, scope.device);
    facts.waits = waitsOf(parts);
    facts.remedy = toQt(remedy(parts.longest(), step, work, scope));
    all.push_back(std::move(facts));
  }
  for (const ExplainedKernel& kernel : explained->kernels) {
    auto facts = std::ranges::find(all, toQt(kernel.label), &StepFacts::label);
    if (facts == all.end()) facts = all.insert(all.end(), unpricedFacts(kernel, shown));
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
