#pragma once

// What a schedule stores may not fit in memory: a dense JtJ of a megapixel image has 10^12 entries.
// Which schedules are legal does not depend on the instance, but which are worth trying does. A
// plan with a StorageLimit (Plan::limit) is made for an instance, and constructs refuse choices
// that would store more than the limit allows.

#include <cstddef>

#include "core/base/diagnostic.h"

namespace thallo {

struct Plan;

class StorageLimit {
 public:
  virtual ~StorageLimit() = default;

  // Fails if what the plan stores (J, JtJ and Jp) takes more than the limit; says how much. For the
  // first num_decided of the stored products (stored_products_of()), the formats are those of the
  // plan. For the others, the check fails only if no format would fit.
  virtual Expected<void> check(const Plan& plan, std::size_t num_decided) const = 0;
};

// Calls StorageLimit::check() of the plan's limit; succeeds if there is no limit.
Expected<void> check_limit(const Plan& plan, std::size_t num_decided);

}  // namespace thallo
