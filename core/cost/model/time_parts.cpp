#include "core/cost/model/time_parts.h"

#include <algorithm>
#include <numeric>

namespace thallo {

double TimeParts::total() const { return std::accumulate(seconds_.begin(), seconds_.end(), 0.0); }

Wait TimeParts::longest() const {
  return AllWaits[static_cast<std::size_t>(std::ranges::max_element(seconds_) - seconds_.begin())];
}

void TimeParts::add(const TimeParts& other, double times) {
  for (const Wait wait : AllWaits) (*this)[wait] += times * other[wait];
}

}  // namespace thallo
