#include "core/explore/search/fitting_schedules.h"

#include <algorithm>

#include "core/schedule/storage_format.h"

namespace thallo {
namespace {

std::int64_t smaller(std::int64_t memory_limit, double device_memory) {
  return static_cast<std::int64_t>(std::min(static_cast<double>(memory_limit), device_memory));
}

}  // namespace

FittingSchedules::FittingSchedules(const ExploredProblem& problem, std::int64_t memory_limit,
                                   double device_memory)
    : problem_(problem),
      is_of_device_(device_memory < static_cast<double>(memory_limit)),
      storage_(problem.file.energy, problem.instance.binding, problem.program,
               problem.program.precision, smaller(memory_limit, device_memory)) {}

bool FittingSchedules::fits(const Proposal& proposal) {
  if (refused_.contains(proposal.hash)) return false;
  const auto plan = problem_.plan_of(proposal.schedule);
  if (!plan) return true;
  const auto fitting = storage_.check(*plan, stored_products_of(*plan).size());
  if (fitting) return true;
  refused_.insert(proposal.hash);
  if (why_.empty()) {
    why_ = fitting.error().message();
    if (is_of_device_) why_ += ", since the device has no more";
  }
  return false;
}

}  // namespace thallo
