#pragma once

// The schedule statements of a text, in the order in which they run. What a statement on a value is
// about (`pose:materialize{...}`) has its name only when the whole text is read, and a Sum when the
// energy is made.

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "core/energy/energy.h"
#include "core/language/lua_state.h"
#include "core/schedule/statement.h"

namespace thallo::language {

class Session;

class ScheduleRecorder {
 public:
  explicit ScheduleRecorder(LuaState& lua) : lua_(lua) {}

  // Nobody writes that many; a loop does. One more ends the run (Stop).
  static constexpr std::size_t MaxStatements = 10'000;

  void record(ScheduleStatement statement);
  void record_for_value(ScheduleStatement statement, std::vector<ExprId> entries);
  void record_for_sum(ScheduleStatement statement, std::size_t position);  // in Energy::sums()
  // What was said of the part `from` and its products so far is said of `to` as well. Which
  // residuals they have is no part of it.
  void repeat(const std::string& from, const std::string& to, const SourceLocation& where);

  // At the end of the text; values that are no intermediates are reported.
  void name_values(Session& session);
  // When the energy is made, null where none is (a schedule file names Sums itself); fails for a
  // Sum that no residual is made of.
  Expected<std::vector<ScheduleStatement>> take(const Energy* energy) &&;

 private:
  LuaState& lua_;
  std::vector<ScheduleStatement> statements_;
  // Statements by position, and what they are about.
  std::vector<std::pair<std::size_t, std::vector<ExprId>>> on_values_;
  std::vector<std::pair<std::size_t, std::size_t>> on_sums_;
};

}  // namespace thallo::language
