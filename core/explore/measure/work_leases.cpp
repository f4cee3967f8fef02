#include "core/explore/measure/work_leases.h"

#include <algorithm>
#include <utility>

#include "core/base/log.h"

namespace thallo {

WorkLeases::~WorkLeases() {
  // Leases also expire by themselves, so a failure here keeps nobody waiting for long.
  if (const auto released = release_all(); !released)
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
  held_.insert(taken.begin(), taken.end());
  return Claim::Taken;
}

// Losing a lease to another exploration does not lose the work: of two results, the store keeps the
// first.
Expected<void> WorkLeases::renew() {
  const auto now = std::chrono::steady_clock::now();
  if (held_.empty() || now - renewed_ < duration_ / 3) return {};
  renewed_ = now;
  const std::vector<ResultSlot> held(held_.begin(), held_.end());
  const auto renewed = store_.renew(held, duration_);
  if (!renewed) return fail(renewed.error());
  return {};
}

Expected<void> WorkLeases::release(const std::vector<ResultSlot>& slots) {
  std::vector<ResultSlot> released;
  for (const ResultSlot& slot : slots)
    if (held_.erase(slot) > 0) released.push_back(slot);
  return released.empty() ? Expected<void>() : store_.release(released);
}

Expected<void> WorkLeases::release_all() { return release({held_.begin(), held_.end()}); }

}  // namespace thallo
