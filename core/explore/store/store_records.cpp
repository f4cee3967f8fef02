#include "core/explore/store/store_records.h"

#include <array>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <span>

namespace thallo {
namespace {

struct NamedText {
  const char* what;
  const std::string& text;
};

Expected<void> check_names(const char* record, std::initializer_list<NamedText> names) {
  for (const NamedText& name : names) {
    if (name.text.empty()) return fail("a {} has no {}", record, name.what);
  }
  return {};
}

// Only predicted times may be infinite.
Expected<void> check_seconds(const std::string& of, std::span<const double> seconds,
                             double largest = std::numeric_limits<double>::max()) {
  for (const double value : seconds) {
    if (!(value >= 0 && value <= largest)) return fail("a time of {} is {} s", of, value);
  }
  return {};
}

Expected<void> check(const DeviceRecord& record) {
  return check_names("device", {{"signature", record.signature}});
}
Expected<void> check(const ProblemRecord& record) {
  return check_names("problem", {{"signature", record.signature}});
}
Expected<void> check(const SpaceRecord& record) {
  return check_names("space", {{"id", record.id}});
}
Expected<void> check(const KernelRecord& record) {
  return check_names("kernel", {{"key", record.key}, {"compiler", record.compiler}});
}
Expected<void> check(const StepRecord& record) {
  return check_names("step", {{"key", record.key}, {"problem", record.problem}});
}

Expected<void> check(const StepSamples& record) {
  const std::string& key = record.slot.key;
  if (record.is_ok() && record.seconds.empty())
    return fail("step {} has neither times nor a reason why", key);
  if (!record.is_ok() && !record.seconds.empty())
    return fail("step {} has times although it failed: {}", key, record.reason);
  return check_seconds(key, record.seconds);
}

Expected<void> check(const ScheduleRecord& record) {
  THALLO_CHECK(check_names("schedule", {{"hash", record.hash}, {"problem", record.problem}}));
  for (const auto& [construct, site, choice] : record.decisions) {
    THALLO_CHECK(check_names("decision", {{"construct", construct}, {"site", site}}));
  }
  for (const SchedulePrediction& prediction : record.predictions) {
    THALLO_CHECK(check_names("prediction", {{"model", prediction.model}}));
    const std::array seconds = {prediction.nonlinear_seconds, prediction.linear_seconds};
    THALLO_CHECK(check_seconds(record.hash, seconds, std::numeric_limits<double>::infinity()));
  }
  return {};
}

Expected<void> check(const ScheduleResult& record) {
  const std::string& hash = record.slot.schedule;
  if (record.is_ok() && record.nonlinear_seconds == 0) return fail("schedule {} has no time", hash);
  if (!record.is_ok() && record.reason.empty()) {
    return fail("schedule {} has the status {} without a reason", hash, to_string(record.status));
  }
  const std::array seconds = {record.nonlinear_seconds, record.linear_seconds,
                              record.linear_iterations};
  THALLO_CHECK(check_seconds(hash, seconds));
  if (record.verification_error && std::isnan(*record.verification_error))
    return fail("the verification error of schedule {} is no number", hash);
  return check_seconds(hash, record.samples);
}

Expected<void> check(const SearchRunRecord& record) {
  const SearchRequest& request = record.request;
  THALLO_CHECK(check_names("search run", {{"id", record.id},
                                          {"problem", request.problem},
                                          {"device", request.device},
                                          {"search", request.search}}));
  for (const SearchFigure& figure : record.state.figures)
    THALLO_CHECK(check_names("figure", {{"name", figure.name}}));
  double last = 0;
  for (const SearchEvent& event : record.events) {
    if (event.schedule.empty()) return fail("an event of run {} has no schedule", record.id);
    if (!(event.seconds > 0))
      return fail("run {} has a time of {} s of schedule {}", record.id, event.seconds,
                  event.schedule);
    THALLO_CHECK(check_seconds("run " + record.id, std::array{event.at, event.seconds}));
    if (event.at < last)
      return fail("run {} has an event at {} s after one at {} s", record.id, event.at, last);
    last = event.at;
  }
  return check_seconds("run " + record.id,
                       std::array{record.state.seconds, record.budget.value_or(0)});
}

}  // namespace

Expected<void> check_record(const StoreRecord& record) {
  return std::visit([](const auto& r) { return check(r); }, record);
}

}  // namespace thallo
