// Verifies schedules of an energy: compiles each one and compares what it computes with what the
// energy defines (conformance.h). As many run at the same time as the machine has cores. `thallo
// verify` runs this.
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "core/backend/backend.h"
#include "core/explore/verify/conformance.h"
#include "core/schedule/schedule.h"

namespace thallo {

// The outcome for one schedule.
enum class Verdict {
  Verified,
  Mismatched,  // an error is beyond the tolerance
  OutOfRange,  // the same, but the true value of a product it stores is too large for a half
  NotRun       // bind() failed: its data do not fit in memory or within the memory limit
};

struct VerifiedSchedule {
  Schedule schedule;
  Verdict verdict = Verdict::Verified;
  ConformanceErrors errors;
  std::string why;               // the reason for OutOfRange or NotRun; else empty
  double product_tolerance = 0;  // declared by the schedule's plan
};

struct VerificationSpeed {
  std::int64_t num_kernels = 0;   // summed over all schedules
  std::int64_t num_distinct = 0;  // distinct canonical keys; 0 for the interpreter
  std::int64_t num_compiled = 0;  // kernels that were not in the cache
  std::int64_t num_warned = 0;    // compiled kernels with compiler warnings
  // Summed over threads.
  double lower_seconds = 0;
  double compile_seconds = 0;
  double run_seconds = 0;
};

// A schedule to verify, with its plan and the seed of the direction p.
struct ScheduleToVerify {
  Schedule schedule;
  Plan plan;
  std::uint64_t seed = 1;
};

class Verification {
 public:
  // `energy` is the energy as schedules see it, with found intermediates; what programs compute is
  // compared with energy.as_written(). The energy, binding and backend must outlive the object.
  Verification(const Energy& energy, const Binding& binding, Backend& backend,
               const CompileOptions& options, double tolerance, const PassOptions& passes = {});

  // Calls `schedule` for 0 to count - 1 and verifies what it returns, on num_threads threads (0:
  // one per core), which also make the calls. After so many seconds (0: no limit) no further
  // schedule is begun. Results are in the order of the schedules, without those that were not
  // begun. `progress` is told how many are done, one call at a time. Throws UserError when a kernel
  // does not compile.
  std::vector<VerifiedSchedule> run(std::int64_t count, int num_threads, double seconds,
                                    const std::function<ScheduleToVerify(std::int64_t)>& schedule,
                                    const std::function<void(std::int64_t)>& progress);

  const VerificationSpeed& speed() const { return speed_; }

 private:
  VerifiedSchedule verify(ScheduleToVerify wanted);
  void note(const Executable& executable, double lowering, double compiling);

  const Energy& energy_;
  const Binding& binding_;
  Backend& backend_;
  CompileOptions options_;
  double tolerance_;
  PassOptions passes_;
  OperatorTruth truth_;
  std::mutex device_;  // held while an executable runs, if the backend runs one at a time
  std::mutex noting_;  // guards keys_ and speed_
  std::set<std::string> keys_;
  VerificationSpeed speed_;
};

}  // namespace thallo
