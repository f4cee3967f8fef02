#include "core/language/schedule_environment.h"

#include "core/language/call.h"
#include "core/language/lua_conditions.h"
#include "core/language/operators.h"
#include "core/language/schedule_methods.h"
#include "core/language/token_lines.h"

namespace thallo::language {
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

}  // namespace

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

}  // namespace thallo::language
