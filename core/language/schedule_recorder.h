#pragma once

// Records the schedule statements of a text in the order in which they run. If a statement is about
// an intermediate that a variable holds, `pose:materialize{...}`, its name is known only after the
// whole text has run; the name of a Sum is known only after the energy has been made.

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "core/energy/energy.h"
#include "core/language/lua_state.h"
#include "core/schedule/statement.h"

namespace thallo::language {

class TextLoad;

class ScheduleRecorder {
 public:
  explicit ScheduleRecorder(LuaState& lua) : lua_(lua) {}

  // More statements end the run (Stop): only a loop writes so many.
  static constexpr std::size_t MaxStatements = 10'000;

  void record(ScheduleStatement statement);
  void record_for_value(ScheduleStatement statement, std::vector<ExprId> entries);
  void record_for_sum(ScheduleStatement statement, std::size_t position);  // in Energy::sums()
  // Repeats the statements so far about the part `from` and its products as statements about `to`.
  // Not copied are split_merge, which says which residuals a part has, and assume_schedule, whose
  // own copies are recorded already. The copies have the place of the statement that asks for them,
  // which was recorded last.
  void repeat(const std::string& from, const std::string& to);

  // Called at the end of the text. Makes intermediates of the values that are none, where residuals
  // are made of them, and reports the others.
  void name_values(TextLoad& load);
  // Returns the statements. Called after the energy has been made; `energy` is null for a schedule
  // file, which names Sums itself. Fails for a Sum that no residual uses.
  Expected<std::vector<ScheduleStatement>> take(const Energy* energy) &&;

 private:
  LuaState& lua_;
  std::vector<ScheduleStatement> statements_;
  // The positions of statements and their subjects: values, or positions in Energy::sums().
  std::vector<std::pair<std::size_t, std::vector<ExprId>>> on_values_;
  std::vector<std::pair<std::size_t, std::size_t>> on_sums_;
};

}  // namespace thallo::language
