#include "core/explore/store/sqlite/leases.h"

#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <fstream>
#include <random>
#include <variant>

#include <fmt/format.h>

#include "core/base/hash.h"
#include "core/base/parse_number.h"
#include "core/explore/store/sqlite/records.h"
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

// Names what process ids mean something in: this boot of this machine, and the namespace, since
// containers number their processes themselves. Empty if it is unknown.
const std::string& this_system() {
  static const std::string system = [] {
    std::ifstream file("/proc/sys/kernel/random/boot_id");
    std::string boot;
    struct stat space = {};
    if (!std::getline(file, boot) || stat("/proc/self/ns/pid", &space) != 0) return std::string();
    return hash_text(fmt::format("{} {}", boot, space.st_ino)).hex().substr(0, 8);
  }();
  return system;
}

bool is_done(Transaction& transaction, const ResultSlot& slot) {
  return std::visit([&](const auto& s) { return find_result(transaction, s).has_value(); }, slot);
}

}  // namespace

std::string make_lease_holder() {
  std::array<char, 256> host{};
  if (gethostname(host.data(), host.size() - 1) != 0) host[0] = '?';
  return fmt::format("{}:{}:{}:{:08x}", host.data(), getpid(), this_system(),
                     std::random_device()());
}

bool holder_has_ended(std::string_view holder) {
  std::vector<std::string_view> fields;  // from the last to the first; a host may have colons
  for (int i = 0; i < 3; ++i) {
    const std::size_t colon = holder.rfind(':');
    if (colon == std::string_view::npos) return false;
    fields.push_back(holder.substr(colon + 1));
    holder = holder.substr(0, colon);
  }
  const auto process = parse_number<int>(fields[2]);
  if (this_system().empty() || fields[1] != this_system() || !process) return false;
  return kill(*process, 0) != 0 && errno == ESRCH;
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
  if (changed > 0) return Claim::Taken;
  std::string holder;
  {
    Rows rows =
        transaction.query("SELECT holder FROM leases WHERE problem = ? AND device = ? AND work = ?",
                          {key.problem, key.device, key.work});
    if (rows.next()) holder = rows.text(0);
  }
  if (!holder_has_ended(holder)) return Claim::Held;
  end_lease(transaction, slot);
  return acquire_lease(transaction, slot, request, existing);
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
    if (holder_has_ended(rows.text(3))) continue;
    leases.push_back({rows.text(0), rows.text(1), rows.text(2), rows.text(3),
                      TimePoint(milliseconds(rows.integer(4)))});
  }
  return leases;
}

}  // namespace thallo
