#include "core/frontend/schedule_text.h"

#include <utility>

#include "core/energy/validate.h"
#include "core/frontend/source_file.h"
#include "core/language/call.h"
#include "core/language/lua_conditions.h"
#include "core/language/operators.h"
#include "core/language/schedule_methods.h"
#include "core/language/text_check.h"
#include "core/language/text_load.h"
#include "core/language/token_lines.h"

namespace thallo {
namespace language {
namespace {

// __index of the globals
int find_schedule_name(Call& call) {
  const std::string name = call.text(2, "a name");
  if (name == "r") return call.push(Value(ScheduleName{ScheduleName::Kind::Energy, "", ""}));
  return call.push(Value(ScheduleName{ScheduleName::Kind::Bare, from_lua_names(name), ""}));
}

// __newindex of the globals
int refuse_schedule_global(Call& call) {
  call.fault("write local {0} = ...; a global would hide what the energy calls {0}",
             from_lua_names(call.text(2, "a name")));
}

constexpr HostFunction ScheduleOperators[] = {{"__index", &find_schedule_name},
                                              {"__newindex", &refuse_schedule_global, true}};

// The globals of a schedule. Names need no declaration: r is the energy, and any other name stands
// for whatever has that name in the energy.
void open_schedule_environment(TextLoad& load) {
  const LuaState::HostSection section(load.lua());
  lua_State* state = load.lua().raw();
  make_metatables(load);
  add_schedule_methods(state);
  lua_newtable(state);
  lua_newtable(state);
  add_functions(state, ScheduleOperators);
  lua_setmetatable(state, -2);
  lua_rawseti(state, LUA_REGISTRYINDEX, LUA_RIDX_GLOBALS);
  add_condition_checks(state);
}

}  // namespace
}  // namespace language

namespace {

Expected<std::vector<ScheduleStatement>> statements_of(ScheduleText text) {
  if (!text.faults.empty()) return fail(combine_faults("the schedule", text.faults));
  return std::move(text.statements);
}

}  // namespace

ScheduleText read_schedule_text(const std::filesystem::path& path, const LoadLimits& limits) {
  const auto text = read_source(path, "a schedule");
  if (!text) return {.faults = {text.error()}};
  return parse_schedule_text(*text, path.string(), limits);
}

ScheduleText parse_schedule_text(std::string_view text, const std::string& name,
                                 const LoadLimits& limits) {
  ScheduleText result;
  if (const auto checked = language::check_is_text(text, name, "a schedule"); !checked) {
    result.faults.push_back(checked.error());
    return result;
  }
  language::TextLoad load(language::TextLoad::Kind::Schedule, name, "", limits);
  language::open_schedule_environment(load);
  load.run(text);
  result.faults = load.faults();
  for (Diagnostic& fault : result.faults) fault.what = language::from_lua_names(fault.what);
  if (!result.faults.empty()) return result;
  // What take() can refuse, a Sum that no residual is made of, needs an energy.
  result.statements = std::move(load.schedule).take(nullptr).value();
  return result;
}

Expected<std::vector<ScheduleStatement>> load_schedule(const std::filesystem::path& path,
                                                       const LoadLimits& limits) {
  return statements_of(read_schedule_text(path, limits));
}

Expected<std::vector<ScheduleStatement>> load_schedule_text(std::string_view text,
                                                            const std::string& name,
                                                            const LoadLimits& limits) {
  return statements_of(parse_schedule_text(text, name, limits));
}

}  // namespace thallo
