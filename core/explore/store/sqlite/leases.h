// The leases of a store. They say who is measuring what, so that several explorations share the
// work.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "core/explore/store/sqlite/database.h"
#include "core/explore/store/store.h"

namespace thallo {

// Returns "HOST:PID:", 8 hexadecimal digits of the system whose process that is, ":" and 8 random
// ones.
std::string make_lease_holder();
// True if the holder was a process of this system that runs no more.
bool holder_has_ended(std::string_view holder);

// Says who asks for leases, and the times that the answer depends on.
struct LeaseRequest {
  std::string_view holder;
  std::chrono::system_clock::time_point now;
  std::chrono::milliseconds duration;
};

// A lease that has expired, or whose holder was a process of this system that has ended, is taken
// over.
Claim acquire_lease(Transaction& transaction, const ResultSlot& slot, const LeaseRequest& request,
                    Existing existing);
Claim renew_lease(Transaction& transaction, const ResultSlot& slot, const LeaseRequest& request);
void release_lease(Transaction& transaction, const ResultSlot& slot, std::string_view holder);
// Ends the lease, whoever holds it.
void end_lease(Transaction& transaction, const ResultSlot& slot);
std::vector<Lease> read_leases(Transaction& transaction, std::chrono::system_clock::time_point now);

}  // namespace thallo
