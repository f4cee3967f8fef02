#pragma once

// One statement of a schedule text, `r.dense.JtF:compute_at_output(true)`, as the language layer
// hands it over: a method called on something, with arguments, all still by name. read_schedule()
// (schedule_reader.h) finds which construct the statement belongs to and what it means.

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/base/diagnostic.h"
#include "core/ir/ids.h"

namespace thallo {

// r, r.NAME, r.NAME.PRODUCT, or a bare NAME (an intermediate, a Sum, a sparse map or a domain).
struct ScheduleName {
  enum class Kind { Energy, Part, Product, Bare };
  Kind kind = Kind::Bare;
  std::string name;     // the part's, or the bare name
  std::string product;  // JtF ...

  std::string text() const;  // "r.dense.JtF"
};

// A loop variable of the energy text in which the statement stands.
struct ScheduleDomain {
  DomainId id;
  std::string name;
};

using ScheduleValue =
    std::variant<bool, std::int64_t, double, std::string, ScheduleName, ScheduleDomain>;

std::string value_text(const ScheduleValue& value);  // as it is written

struct ScheduleArgument {
  std::string key;            // {value = true}; empty: by position
  std::int64_t position = 0;  // 1 for the first argument, 2 for {[2] = ...}
  ScheduleValue value;
};

// r.a:assume_schedule(r.b): the statements about b so far follow, as statements about a.
inline constexpr std::string_view AssumeSchedule = "assume_schedule";

struct ScheduleStatement {
  ScheduleName on;
  std::string method;  // "compute_at_output"
  std::vector<ScheduleArgument> arguments;
  SourceLocation where;  // first character, or ':' in a chain; for a copy: of the copying statement
  SourceLocation end;    // behind its last character
  // If this is a copy for another part (assume_schedule, split), the part that the original
  // statement is about.
  std::string assumed_of;

  // True if all arguments are given by position and none is left out.
  bool is_by_position() const;
  std::string text() const;  // "r.dense.JtF:compute_at_output(true)"
};

}  // namespace thallo
