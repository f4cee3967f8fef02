#include "core/cli/reproduce/case_parts.h"

#include <algorithm>
#include <exception>
#include <new>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/cli/interrupt.h"

namespace thallo::cli {
namespace {

// A part that was begun so often and never ended is not begun again: it ends the program.
constexpr int MostBegun = 2;

}  // namespace

std::string reason_of_exception() {
  try {
    throw;
  } catch (const std::bad_alloc&) {
    return "memory ran out";
  } catch (const std::exception& error) {
    return error.what();
  }
}

std::optional<MeasuredCase> CaseParts::obtain(const std::string& name, const std::string& what,
                                              double wanted, const Measure& measure) {
  const KeptCase* kept = kept_.find(what, by_);
  if (kept != nullptr && !kept->measured.values.empty() &&
      (kept->measured.bounds.empty() || kept->measured.limit >= 0.99 * budget_.limit(wanted)))
    return kept->measured;
  if (kept != nullptr && kept->num_begun >= MostBegun) {
    note_failure(name, fmt::format("the program was ended {} times while it ran", kept->num_begun));
    return {};
  }
  return budget_.is_over() ? without_time(name, what) : measure_now(name, what, measure);
}

std::optional<MeasuredCase> CaseParts::measure_now(const std::string& name, const std::string& what,
                                                   const Measure& measure) {
  kept_.begin(what, by_);
  try {
    MeasuredCase measured = measure();
    if (measured.is_complete) {
      kept_.keep(what, by_, measured);
    } else {
      is_left_ = true;
      kept_.leave(what, by_);
    }
    return measured;
  } catch (const std::exception&) {
    if (interrupting_signal() != 0) {
      is_left_ = true;
      kept_.leave(what, by_);
      return {};
    }
    const std::string reason = reason_of_exception();
    kept_.fail(what, by_, reason);
    note_failure(name, reason);
    return {};
  }
}

std::optional<MeasuredCase> CaseParts::without_time(const std::string& name,
                                                    const std::string& what) {
  is_left_ = true;
  const KeptCase* kept = kept_.find(what, by_);
  if (kept != nullptr && !kept->measured.values.empty()) return kept->measured;
  if (kept != nullptr && !kept->failure.empty()) {
    note_failure(name, kept->failure);
    return {};
  }
  const KeptCase* other = kept_.find_other(what, by_);
  if (other == nullptr) return {};
  if (std::ranges::find(others_, other->by) == others_.end()) others_.push_back(other->by);
  return other->measured;
}

void CaseParts::note_failure(const std::string& name, const std::string& reason) {
  failures_.push_back(name.empty() ? reason : fmt::format("{}: {}", name, reason));
}

std::string CaseParts::why_not() const {
  return failures_.empty() ? "it was not begun in time"
                           : fmt::format("{}", fmt::join(failures_, "; "));
}

}  // namespace thallo::cli
