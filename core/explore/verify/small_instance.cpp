#include "core/explore/verify/small_instance.h"

#include <cstddef>
#include <utility>

#include "core/energy/print.h"

namespace thallo {
namespace {

// The seed for displacing the unknowns, and for the direction in which JtJp is compared.
constexpr std::uint64_t Seed = 1;
// Limits the numbers in all fields of an instance; computing the true values then takes about a
// second.
constexpr std::size_t MostNumbers = 20'000;

std::size_t num_numbers(const Energy& energy, const Binding& binding) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < energy.fields().size(); ++i)
    count += static_cast<std::size_t>(binding.field(FieldId(i)).size());
  return count;
}

double tolerance_on(const Backend& backend, Precision precision) {
  return precision == Precision::Double || !backend.has_float() ? DoubleTolerance : FloatTolerance;
}

}  // namespace

SmallInstance::SmallInstance(ExploredProblem problem, Backend& backend)
    : problem_(std::move(problem)),
      displaced_(displaced_off_switches(problem_.file.energy.as_written(),
                                        problem_.instance.binding, Seed)),
      verification_(problem_.file.energy, displaced_.binding, backend, problem_.compile,
                    tolerance_on(backend, problem_.program.precision)) {}

Expected<std::unique_ptr<SmallInstance>> SmallInstance::open(Session& session,
                                                             const ExplorationTarget& target,
                                                             const ExploredProblem& measured,
                                                             Backend& backend) {
  const Options shrunk = measured.problem->small_options(measured.options);
  ExplorationTarget small = target;
  for (const std::string& name : shrunk.names()) small.options.set(name, *shrunk.find_value(name));
  auto problem = ExploredProblem::open(session, small);
  if (!problem) {
    return fail("the small instance of {} cannot be made: {}", target.problem,
                problem.error().message());
  }
  const Energy& energy = problem->file.energy;
  if (to_string(energy) != to_string(measured.file.energy)) {
    return fail(
        "the small instance of {} has another energy: its small_options() must not change it",
        target.problem);
  }
  if (shrunk.names().empty() && num_numbers(energy, problem->instance.binding) > MostNumbers)
    return std::unique_ptr<SmallInstance>();
  return std::unique_ptr<SmallInstance>(new SmallInstance(*std::move(problem), backend));
}

SmallInstance::Outcome SmallInstance::verify(const Schedule& schedule) {
  auto plan = problem_.plan_of(schedule);
  if (!plan) return {};  // the schedule is illegal for so small an instance
  const auto results = verification_.run(
      1, 1, 0,
      [&](std::int64_t) {
        return ScheduleToVerify{schedule, *plan, Seed};
      },
      [](std::int64_t) {});
  const VerifiedSchedule& result = results.front();
  switch (result.verdict) {
    case Verdict::Verified: return {.error = result.errors.worst()};
    case Verdict::Mismatched:
      return {.error = result.errors.worst(), .fault = result.errors.text()};
    case Verdict::OutOfRange:
    case Verdict::NotRun: break;
  }
  return {};
}

}  // namespace thallo
