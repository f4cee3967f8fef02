#pragma once

// What a schedule stores may not fit in memory: a dense JtJ of a megapixel image has 10^12 entries.
// Which schedules are legal does not depend on the instance at hand, but what is worth trying does.
// A plan that has a StorageLimit (Plan::limit) is about an instance, and constructs refuse what
// would store more than the limit allows.

#include <cstddef>

#include "core/base/diagnostic.h"

namespace thallo {

struct Plan;

class StorageLimit {
 public:
  virtual ~StorageLimit() = default;

  // Fails when what the plan stores (J, JtJ and Jp) takes more than the limit; says how much. Of
  // the products that the plan stores (stored_products_of()), the formats of the first num_decided
  // are those of the plan. The others are open: it fails when none of their formats would do.
  virtual Expected<void> check(const Plan& plan, std::size_t num_decided) const = 0;
};

// StorageLimit::check() of the plan's limit; never fails without one.
Expected<void> check_limit(const Plan& plan, std::size_t num_decided);

}  // namespace thallo
