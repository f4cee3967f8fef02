#include "core/explore/store/sqlite/leases.h"

#include <unistd.h>

#include <array>
#include <random>
#include <variant>

#include <fmt/format.h>

#include "core/explore/store/sqlite/read_records.h"
#include "core/explore/store/sqlite/references.h"

namespace thallo {
namespace {

using std::chrono::milliseconds;
using TimePoint = std::chrono::system_clock::time_point;

std::int64_t to_milliseconds(TimePoint time) {
  return std::chrono::duration_cast<milliseconds>(time.time_since_epoch()).count();
}

std::string work_of(const StepSlot& slot) {
  return fmt::format("step {} {}", to_string(slot.cache), slot.key);
}
std::string work_of(const ScheduleSlot& slot) {
  return fmt::format("schedule {} {}", to_string(slot.kind), slot.schedule);
}

// The key of a lease in the table.
struct LeaseKey {
  LeaseKey(Transaction& transaction, const ResultSlot& slot) {
    std::visit(
        [&](const auto& s) {
          problem = problem_id(transaction, s.problem);
          device = device_id(transaction, s.device);
          work = work_of(s);
        },
        slot);
  }

  std::int64_t problem = 0;
  std::int64_t device = 0;
  std::string work;
};

bool is_done(Transaction& transaction, const ResultSlot& slot) {
  return std::visit([&](const auto& s) { return find_result(transaction, s).has_value(); }, slot);
}

}  // namespace

std::string make_lease_holder() {
  std::array<char, 256> host{};
  if (gethostname(host.data(), host.size() - 1) != 0) host[0] = '?';
  return fmt::format("{}:{}:{:08x}", host.data(), getpid(), std::random_device()());
}

Claim acquire_lease(Transaction& transaction, const ResultSlot& slot, const LeaseRequest& request,
                    Existing existing) {
  if (existing != Existing::Replace && is_done(transaction, slot)) return Claim::Done;
  const LeaseKey key(transaction, slot);
  const std::int64_t changed = transaction.run(
      "INSERT INTO leases (problem, device, work, holder, expires) VALUES (?1, ?2, ?3, ?4, ?5) "
      "ON CONFLICT (problem, device, work) DO UPDATE SET holder = ?4, expires = ?5 "
      "WHERE expires <= ?6",
      {key.problem, key.device, key.work, request.holder,
       to_milliseconds(request.now + request.duration), to_milliseconds(request.now)});
  return changed > 0 ? Claim::Taken : Claim::Held;
}

Claim renew_lease(Transaction& transaction, const ResultSlot& slot, const LeaseRequest& request) {
  const LeaseKey key(transaction, slot);
  const std::int64_t changed = transaction.run(
      "UPDATE leases SET expires = ? WHERE problem = ? AND device = ? AND work = ? AND holder = ?",
      {to_milliseconds(request.now + request.duration), key.problem, key.device, key.work,
       request.holder});
  if (changed > 0) return Claim::Taken;
  return is_done(transaction, slot) ? Claim::Done : Claim::Held;
}

void release_lease(Transaction& transaction, const ResultSlot& slot, std::string_view holder) {
  const LeaseKey key(transaction, slot);
  transaction.run("DELETE FROM leases WHERE problem = ? AND device = ? AND work = ? AND holder = ?",
                  {key.problem, key.device, key.work, holder});
}

void end_lease(Transaction& transaction, const ResultSlot& slot) {
  const LeaseKey key(transaction, slot);
  transaction.run("DELETE FROM leases WHERE problem = ? AND device = ? AND work = ?",
                  {key.problem, key.device, key.work});
}

std::vector<Lease> read_leases(Transaction& transaction, TimePoint now) {
  std::vector<Lease> leases;
  Rows rows = transaction.query(
      "SELECT problems.signature, devices.signature, work, holder, expires FROM leases "
      "JOIN problems ON problems.id = leases.problem JOIN devices ON devices.id = leases.device "
      "WHERE expires > ? ORDER BY problems.signature, devices.signature, work",
      {to_milliseconds(now)});
  while (rows.next()) {
    leases.push_back({rows.text(0), rows.text(1), rows.text(2), rows.text(3),
                      TimePoint(milliseconds(rows.integer(4)))});
  }
  return leases;
}

}  // namespace thallo
