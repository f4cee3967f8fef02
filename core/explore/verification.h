// Verifies schedules of an energy: compiles each and compares what it computes with what the energy
// defines, as many at a time as the machine has cores. What `thallo verify` runs.
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "core/backend/backend.h"
#include "core/explore/conformance.h"
#include "core/schedule/schedule.h"

namespace thallo {

// What came of a schedule.
enum class Verdict {
  Verified,
  Mismatched,  // an error is beyond the tolerance
  OutOfRange,  // so it is, but a half that it stores cannot hold the energy's own value
  NotRun       // its data do not fit
};

struct VerifiedSchedule {
  Schedule schedule;
  Verdict verdict = Verdict::Verified;
  ConformanceErrors errors;
  std::string why;               // it is out of range or was not run
  double product_tolerance = 0;  // that the schedule declares
};

struct VerificationSpeed {
  std::int64_t num_kernels = 0;   // of all schedules
  std::int64_t num_distinct = 0;  // by canonical key; the interpreter has none
  std::int64_t num_compiled = 0;  // that the cache did not have
  std::int64_t num_warned = 0;    // of these, with warnings of the compiler
  // Added up over threads.
  double lower_seconds = 0;
  double compile_seconds = 0;
  double run_seconds = 0;
};

// What to verify: a schedule with its plan, and the seed of the direction p.
struct ScheduleToVerify {
  Schedule schedule;
  Plan plan;
  std::uint64_t seed = 1;
};

class Verification {
 public:
  // The energy as schedules see it, with found intermediates. All must outlive the object.
  Verification(const Energy& energy, const Binding& binding, Backend& backend,
               const CompileOptions& options, double tolerance);

  // Asks for the schedules 0 to count - 1, from several threads, and verifies them by so many
  // threads (0: a core each); when so many seconds are over (0: never) no more are begun. The
  // results are in their order, those of schedules that were not begun left out; `progress` is told
  // how many are done. Throws UserError when a kernel does not compile.
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
  OperatorTruth truth_;
  std::mutex device_;  // where executables run one at a time
  std::mutex noting_;
  std::set<std::string> keys_;
  VerificationSpeed speed_;
};

}  // namespace thallo
