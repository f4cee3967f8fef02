#include "core/explore/workshop.h"

#include <thread>
#include <utility>

#include "core/cost/spec_file.h"

namespace thallo {
namespace {

// The interval at which results of another explorer are checked.
constexpr std::chrono::milliseconds WaitPeriod{100};

std::unique_ptr<WorkerPool> make_pool(const WorkshopOptions& options,
                                      const OpenRequest& open_request, int num_workers) {
  return std::make_unique<WorkerPool>(
      options.worker_command, WorkRequest{open_request, options.open_timeout, options.open_timeout},
      num_workers);
}

}  // namespace

Workshop::Workshop(WorkshopOptions options) : options_(std::move(options)) {}

Expected<std::unique_ptr<Workshop>> Workshop::open(ExplorationTarget& target,
                                                   WorkshopOptions options) {
  std::unique_ptr<Workshop> shop(new Workshop(std::move(options)));
  auto store = MeasurementStore::open(shop->options_.store, MeasurementStore::Access::Write);
  if (!store) return fail(store.error());
  shop->store_.emplace(*std::move(store));
  shop->leases_.emplace(*shop->store_, shop->options_.lease);
  OpenRequest request{.target = target, .device = true};
  shop->measuring_ = make_pool(shop->options_, request, 1);
  const auto answer = shop->measuring_->open([&shop] { return !shop->is_over(); });
  if (shop->is_over()) return fail("the time was up before the problem was opened");
  if (!answer) return fail(answer.error());
  shop->opened_ = *answer;
  auto spec = parse_device_spec(answer->spec, "the spec of a worker");
  if (!spec) return fail(spec.error());
  shop->spec_ = *std::move(spec);
  target.backend = shop->opened_.device.backend;
  target.precision = shop->opened_.precision;
  request = {.target = target,
             .device = false,
             .architecture = shop->opened_.architecture,
             .spec = shop->opened_.spec};
  shop->compiling_ = make_pool(shop->options_, request, shop->options_.jobs);
  const std::vector<StoreRecord> records = {shop->opened_.device, shop->opened_.problem};
  if (auto added = shop->store_->add(records, Existing::Keep); !added) return fail(added.error());
  return shop;
}

bool Workshop::is_over() const {
  if (options_.is_cancelled != nullptr && *options_.is_cancelled) return true;
  return options_.budget && std::chrono::steady_clock::now() - start_ > share_ * *options_.budget;
}

Expected<void> Workshop::run(WorkerPool& pool) {
  auto ran = pool.run([this] {
    note(leases_->renew());
    return !failure_ && !is_over();
  });
  if (!ran || failure_ || is_over()) pool.stop();
  note(leases_->release());
  if (failure_) return fail(*failure_);
  return ran;
}

void Workshop::wait() { std::this_thread::sleep_for(WaitPeriod); }

void Workshop::record(const std::vector<StoreRecord>& records) {
  if (!failure_) note(store_->add(records, Existing::Keep));
}

bool Workshop::is_first_crash(const WorkAnswer& answer, const std::string& what) {
  return answer.status == ResultStatus::Crash && crashed_.insert(what).second;
}

}  // namespace thallo
