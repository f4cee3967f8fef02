#include "core/explore/measure/measurement_context.h"

#include <thread>
#include <utility>

#include "core/cost/device/spec_file.h"

namespace thallo {
namespace {

// The interval at which results of another exploration are checked.
constexpr std::chrono::milliseconds WaitPeriod{100};

std::unique_ptr<WorkerPool> make_pool(const MeasurementOptions& options,
                                      const OpenRequest& open_request, int num_workers) {
  return std::make_unique<WorkerPool>(options.worker_command, open_request, options.open_timeout,
                                      num_workers);
}

}  // namespace

MeasurementContext::MeasurementContext(MeasurementOptions options) : options_(std::move(options)) {}

Expected<std::unique_ptr<MeasurementContext>> MeasurementContext::open(ExplorationTarget& target,
                                                                       MeasurementOptions options) {
  std::unique_ptr<MeasurementContext> context(new MeasurementContext(std::move(options)));
  auto store = MeasurementStore::open(context->options_.store, MeasurementStore::Access::Write);
  if (!store) return fail(store.error());
  context->store_.emplace(*std::move(store));
  context->leases_.emplace(*context->store_, context->options_.lease, context->options_.existing);
  OpenRequest request{.target = target, .device = true};
  context->measuring_ = make_pool(context->options_, request, 1);
  const auto answer = context->measuring_->open([&context] { return !context->is_over(); });
  if (context->is_over()) return fail("the time was up before the problem was opened");
  if (!answer) return fail(answer.error());
  context->opened_ = *answer;
  auto spec = parse_device_spec(answer->spec, "the spec of a worker");
  if (!spec) return fail(spec.error());
  context->spec_ = *std::move(spec);
  target.backend = context->opened_.device.backend;
  target.precision = context->opened_.precision;
  request = {.target = target,
             .device = false,
             .architecture = context->opened_.architecture,
             .spec = context->opened_.spec};
  context->compiling_ = make_pool(context->options_, request, context->options_.jobs);
  const std::vector<StoreRecord> records = {context->opened_.device, context->opened_.problem};
  if (auto added = context->store_->add(records, Existing::Keep); !added)
    return fail(added.error());
  return context;
}

bool MeasurementContext::is_over() const {
  if (options_.is_cancelled != nullptr && *options_.is_cancelled) return true;
  return options_.budget && std::chrono::steady_clock::now() - start_ > share_ * *options_.budget;
}

Expected<void> MeasurementContext::run(WorkerPool& pool) {
  auto ran = pool.run([this] {
    note(leases_->renew());
    return !failure_ && !is_over();
  });
  if (!ran || failure_ || is_over()) pool.stop();
  note(leases_->release());
  if (failure_) return fail(*failure_);
  return ran;
}

void MeasurementContext::wait() { std::this_thread::sleep_for(WaitPeriod); }

void MeasurementContext::record(const std::vector<StoreRecord>& records) {
  if (!failure_) note(store_->add(records, options_.existing));
}

bool MeasurementContext::is_first_crash(const WorkAnswer& answer, const std::string& what) {
  return answer.status == ResultStatus::Crash && crashed_.insert(what).second;
}

}  // namespace thallo
