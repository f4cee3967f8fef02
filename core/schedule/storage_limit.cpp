#include "core/schedule/storage_limit.h"

#include "core/schedule/plan.h"

namespace thallo {

Expected<void> check_limit(const Plan& plan, std::size_t num_decided) {
  return plan.limit == nullptr ? Expected<void>() : plan.limit->check(plan, num_decided);
}

}  // namespace thallo
