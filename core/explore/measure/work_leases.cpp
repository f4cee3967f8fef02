#include "core/explore/measure/work_leases.h"

#include <algorithm>
#include <utility>

#include "core/base/log.h"

namespace thallo {

WorkLeases::~WorkLeases() {
  // Leases also expire by themselves, so a failure here keeps nobody waiting for long.
  if (const auto released = release(); !released)
    logger("explore").warn("leases could not be given up: {}", released.error().message());
}

Expected<Claim> WorkLeases::claim(const std::vector<ResultSlot>& slots) {
  const auto claims = store_.acquire(slots, duration_, existing_);
  if (!claims) return fail(claims.error());
  std::vector<ResultSlot> taken;
  for (std::size_t i = 0; i < slots.size(); ++i)
    if ((*claims)[i] == Claim::Taken) taken.push_back(slots[i]);
  if (std::ranges::find(*claims, Claim::Held) != claims->end()) {
    if (auto released = store_.release(taken); !released) return fail(released.error());
    return Claim::Held;
  }
  if (taken.empty()) return Claim::Done;
  if (held_.empty()) renewed_ = std::chrono::steady_clock::now();
  held_.insert(held_.end(), taken.begin(), taken.end());
  return Claim::Taken;
}

// Losing a lease to another exploration does not lose the work: of two results, the store keeps the
// first.
Expected<void> WorkLeases::renew() {
  const auto now = std::chrono::steady_clock::now();
  if (held_.empty() || now - renewed_ < duration_ / 3) return {};
  renewed_ = now;
  const auto renewed = store_.renew(held_, duration_);
  if (!renewed) return fail(renewed.error());
  return {};
}

Expected<void> WorkLeases::release() {
  if (held_.empty()) return {};
  return store_.release(std::exchange(held_, {}));
}

}  // namespace thallo
