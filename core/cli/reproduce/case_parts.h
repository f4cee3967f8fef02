// Obtains what a case consists of: the case itself, or its parts where each may take long. A part
// is taken from what is kept if it is there, and measured and kept otherwise, so that a
// reproduction goes on within a case, and cases that have a part in common measure it once.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/cli/reproduce/kept_cases.h"
#include "core/cli/reproduce/time_budget.h"

namespace thallo::cli {

class CaseParts {
 public:
  // The arguments must outlive the parts of the case.
  CaseParts(KeptCases& kept, const TimeBudget& budget, const MadeBy& by)
      : kept_(kept), budget_(budget), by_(by) {}

  // Returns what was measured of a part, called `name` in messages. Whatever `measure` throws is
  // the part's failure, which is kept, and tried again as long as there is time. Where no time is
  // left, returns what another device or build measured. A bound is measured again if a run may now
  // take longer than it could; `wanted` is how many seconds it may take, 0 if there is no limit.
  using Measure = std::function<MeasuredCase()>;
  std::optional<MeasuredCase> obtain(const std::string& name, const std::string& what,
                                     double wanted, const Measure& measure);

  // Of all parts so far.
  bool is_left() const { return is_left_; }  // true if some are to be measured yet
  const std::vector<std::string>& failures() const { return failures_; }  // "NAME: reason"
  // The others that made parts.
  const std::vector<MadeBy>& others() const { return others_; }
  // Why nothing was measured.
  std::string why_not() const;

 private:
  std::optional<MeasuredCase> measure_now(const std::string& name, const std::string& what,
                                          const Measure& measure);
  std::optional<MeasuredCase> without_time(const std::string& name, const std::string& what);
  void note_failure(const std::string& name, const std::string& reason);

  KeptCases& kept_;
  const TimeBudget& budget_;
  const MadeBy& by_;
  bool is_left_ = false;
  std::vector<std::string> failures_;
  std::vector<MadeBy> others_;
};

// Returns why the exception that is being handled was thrown, in one sentence.
std::string reason_of_exception();

}  // namespace thallo::cli
