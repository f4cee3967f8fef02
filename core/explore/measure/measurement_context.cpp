#include "core/explore/measure/measurement_context.h"

#include <algorithm>
#include <thread>
#include <utility>

#include "core/base/log.h"
#include "core/cost/device/spec_file.h"

namespace thallo {
namespace {

// The interval at which results of another exploration are checked.
constexpr std::chrono::milliseconds WaitPeriod{100};

// Workers measure on devices of one kind, so that they can share results.
Expected<void> check_same_kind(const std::vector<WorkerSeat>& seats,
                               const std::vector<OpenedProblem>& opened) {
  for (std::size_t i = 1; i < opened.size(); ++i) {
    const DeviceRecord &first = opened.front().device, &other = opened[i].device;
    if (first.signature == other.signature) continue;
    return fail(
        "devices {} and {} differ ({}; {}), and an exploration measures on devices of one kind: "
        "explore on each kind in turn, with the same store",
        seats.front().open.target.device, seats[i].open.target.device, first.signature,
        other.signature);
  }
  return {};
}

}  // namespace

WorkLeases::~WorkLeases() {
  // Leases also expire by themselves, so a failure here keeps nobody waiting for long.
  if (const auto released = release_all(); !released)
    logger("explore").warn("leases could not be given up: {}", released.error().message());
}

Expected<Claim> WorkLeases::claim(const std::vector<ResultSlot>& slots) {
  THALLO_TRY(const auto claims, store_.acquire(slots, duration_, existing_));
  std::vector<ResultSlot> taken;
  for (std::size_t i = 0; i < slots.size(); ++i)
    if (claims[i] == Claim::Taken) taken.push_back(slots[i]);
  if (std::ranges::find(claims, Claim::Held) != claims.end()) {
    THALLO_CHECK(store_.release(taken));
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
  THALLO_CHECK(store_.renew(held, duration_));
  return {};
}

Expected<void> WorkLeases::release(const std::vector<ResultSlot>& slots) {
  std::vector<ResultSlot> released;
  for (const ResultSlot& slot : slots)
    if (held_.erase(slot) > 0) released.push_back(slot);
  return released.empty() ? Expected<void>() : store_.release(released);
}

Expected<void> WorkLeases::release_all() { return release({held_.begin(), held_.end()}); }

MeasurementContext::MeasurementContext(MeasurementOptions options) : options_(std::move(options)) {}

Expected<std::unique_ptr<MeasurementContext>> MeasurementContext::open(ExplorationTarget& target,
                                                                       MeasurementOptions options) {
  std::unique_ptr<MeasurementContext> context(new MeasurementContext(std::move(options)));
  THALLO_TRY(auto store,
             MeasurementStore::open(context->options_.store, MeasurementStore::Access::Write));
  context->store_.emplace(std::move(store));
  context->leases_.emplace(*context->store_, context->options_.lease, context->options_.existing);
  std::vector<int>& devices = context->options_.devices;
  if (devices.empty()) devices = {target.device};
  const WorkerStart start = [command = context->options_.worker_command] {
    return WorkerProcess::start(command);
  };
  std::vector<WorkerStart>& starts = context->options_.measuring;
  if (starts.empty()) starts.assign(devices.size(), start);
  std::vector<WorkerSeat> seats;
  for (std::size_t i = 0; i < starts.size(); ++i) {
    target.device = devices[i % devices.size()];
    seats.push_back({starts[i], OpenRequest{.target = target, .device = true}});
  }
  target.device = devices.front();
  context->measuring_ = std::make_unique<WorkerPool>(seats, context->options_.open_timeout);
  const auto opened = context->measuring_->open([&context] { return !context->is_over(); });
  if (context->is_over()) return fail("the time was up before the problem was opened");
  if (!opened) return fail(opened.error());
  THALLO_CHECK(check_same_kind(seats, *opened));
  context->opened_ = opened->front();
  THALLO_TRY(auto spec, parse_device_spec(context->opened_.spec, "the spec of a worker"));
  context->spec_ = std::move(spec);
  target.backend = context->opened_.device.backend;
  target.precision = context->opened_.precision;
  const OpenRequest request{.target = target,
                            .device = false,
                            .architecture = context->opened_.architecture,
                            .spec = context->opened_.spec};
  context->num_compiling_ = context->wanted_compiling();
  seats.assign(context->num_compiling_, {start, request});
  context->compiling_ = std::make_unique<WorkerPool>(seats, context->options_.open_timeout);
  const std::vector<StoreRecord> records = {context->opened_.device, context->opened_.problem};
  THALLO_CHECK(context->store_->add(records, Existing::Keep));
  return context;
}

std::size_t MeasurementContext::wanted_compiling() const {
  if (options_.jobs > 0) return static_cast<std::size_t>(options_.jobs);
  const std::size_t num_cores = std::thread::hardware_concurrency();
  const std::size_t num_serving = measures_beside_compiling() ? options_.devices.size() : 0;
  return num_cores > num_serving ? num_cores - num_serving : 1;
}

bool MeasurementContext::is_over() const {
  if (options_.was_cancelled()) return true;
  return options_.budget && std::chrono::steady_clock::now() - start_ > share_ * *options_.budget;
}

Expected<void> MeasurementContext::turn() {
  note(leases_->renew());
  if (failure_) return fail(*failure_);
  return WorkerPool::turn({measuring_.get(), compiling_.get()});
}

Expected<void> MeasurementContext::end_turns(Expected<void> last) {
  if (!last || failure_ || is_over()) {
    measuring_->stop();
    compiling_->stop();
  }
  note(leases_->release_all());
  if (failure_) return fail(*failure_);
  return last;
}

void MeasurementContext::wait() { std::this_thread::sleep_for(WaitPeriod); }

void MeasurementContext::record(const std::vector<StoreRecord>& records) {
  if (!failure_) note(store_->add(records, options_.existing));
}

bool MeasurementContext::is_first_crash(const WorkAnswer& answer, const std::string& what) {
  return answer.status == ResultStatus::Crash && crashed_.insert(what).second;
}

}  // namespace thallo
