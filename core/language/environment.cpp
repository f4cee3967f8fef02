#include "core/language/environment.h"

#include <algorithm>
#include <ranges>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/base/suggest.h"
#include "core/language/call.h"
#include "core/language/declarations.h"
#include "core/language/functions.h"
#include "core/language/lua_conditions.h"
#include "core/language/motions.h"
#include "core/language/operators.h"
#include "core/language/opt/opt_names.h"
#include "core/language/patterns.h"
#include "core/language/prelude.h"
#include "core/language/schedule_methods.h"

namespace thallo::language {
namespace {

constexpr const char* LibraryKey = "thallo.library";
constexpr const char* InputsKey = "thallo.inputs";  // the inputs that texts call by their names

// The names that are taken over from Lua. Left out is everything that reaches files, other code or
// the machine, that catches errors (a limit must not be caught), that depends on addresses or time
// (next; the prelude has a pairs of its own), or that runs for long without an instruction of the
// text (table.move; the prelude bounds the matching of patterns).
constexpr const char* BaseNames[] = {"error", "ipairs", "rawequal", "tonumber", "tostring", "type"};
constexpr const char* StringNames[] = {"byte",  "char",  "find", "format",  "gmatch", "gsub", "len",
                                       "lower", "match", "rep",  "reverse", "sub",    "upper"};
constexpr const char* MathNames[] = {"ceil",       "fmod", "floor",      "huge", "max",
                                     "maxinteger", "min",  "mininteger", "modf", "pi",
                                     "tointeger",  "type", "ult"};
constexpr const char* TableNames[] = {"concat", "insert", "pack", "remove", "sort", "unpack"};
// The functions of `math` that take expressions, too.
constexpr const char* SharedMathNames[] = {"abs",  "acos", "asin", "atan2", "cos",
                                           "cosh", "exp",  "log",  "log10", "pow",
                                           "sin",  "sinh", "sqrt", "tan",   "tanh"};

// Names a Lua writer may expect, and why they are absent.
struct AbsentName {
  std::string_view name;
  std::string_view reason;
};
constexpr std::string_view NoAccess =
    "an energy text has no access to files, other code or the machine";
constexpr std::string_view NoCatching = "nothing catches the faults of an energy text";
constexpr AbsentName AbsentNames[] = {
    {"_G", "globals are written as plain names"},
    {"collectgarbage", NoAccess},
    {"coroutine", NoCatching},
    {"debug", NoAccess},
    {"dofile", NoAccess},
    {"getmetatable", "values of the language keep their operators"},
    {"io", NoAccess},
    {"load", NoAccess},
    {"loadfile", NoAccess},
    {"loadstring", NoAccess},
    {"next", "its order depends on memory addresses; use pairs, which sorts the keys"},
    {"norm", "the length of a vector v is length(v)"},
    {"os", NoAccess},
    {"package", NoAccess},
    {"pcall", NoCatching},
    {"rawget", "plain indexing does the same here"},
    {"rawset", "plain indexing does the same here"},
    {"require", NoAccess},
    {"setmetatable", "values of the language keep their operators"},
    {"xpcall", NoCatching},
};

// Appends the names of the local and captured variables that the user's running function can see.
void collect_locals(lua_State* state, std::vector<std::string>& names) {
  lua_Debug activation;
  for (int level = 0; lua_getstack(state, level, &activation) == 1; ++level) {
    lua_getinfo(state, "Sf", &activation);
    if (std::string_view(activation.source) == fmt::format("={}", UserChunk)) {
      for (int i = 1; const char* name = lua_getlocal(state, &activation, i); ++i) {
        if (name[0] != '(') names.emplace_back(name);
        lua_pop(state, 1);
      }
      for (int i = 1; const char* name = lua_getupvalue(state, -1, i); ++i) {
        names.emplace_back(name);
        lua_pop(state, 1);
      }
      lua_pop(state, 1);
      return;
    }
    lua_pop(state, 1);
  }
}

// Pushes what the table in the registry has for the name at position 2; returns whether that is
// anything.
bool push_from(lua_State* state, const char* key) {
  lua_getfield(state, LUA_REGISTRYINDEX, key);
  lua_pushvalue(state, 2);
  return lua_rawget(state, -2) != LUA_TNIL;
}

// __index of the user's globals: an input or a name of the library, else a fault.
int find_global(Call& call) {
  lua_State* state = call.lua();
  if (push_from(state, InputsKey) || push_from(state, LibraryKey)) return 1;
  const std::string name = lua_type(state, 2) == LUA_TSTRING ? lua_tostring(state, 2) : "?";
  const auto absent = std::ranges::find(AbsentNames, name, &AbsentName::name);
  if (absent != std::end(AbsentNames))
    call.fault("'{}' is not part of the energy language: {}", name, absent->reason);
  stop_at_other_dialect(call, name);
  // The first of equally near names is suggested: the user's own before the library's, and sqrt
  // before Sqrt.
  std::vector<std::string> known;
  collect_locals(state, known);
  lua_settop(state, 1);
  for (const char* key : {InputsKey, LibraryKey}) lua_getfield(state, LUA_REGISTRYINDEX, key);
  for (const int table : {2, 1, 3})
    for (const std::string& key : text_keys(state, table).names | std::views::reverse)
      known.push_back(key);
  const std::string suggestion = did_you_mean(name, known);
  call.fault("unknown name '{}'{}", name,
             suggestion.empty()
                 ? "; it is no variable of this text, no input and no name of the energy language"
                 : suggestion);
}

// __index of string, table and math, which are smaller than in Lua.
int find_library_member(Call& call) {
  const std::string name = call.text(2, "the name of a function");
  luaL_getmetafield(call.lua(), 1, "__name");
  const std::string library = lua_tostring(call.lua(), -1);
  const std::vector<std::string> legal = text_keys(call.lua(), 1).names;
  throw Fault{
      fmt::format("the energy language has no '{}.{}'{}", library, name, did_you_mean(name, legal)),
      legal};
}

// The name of the input that argument i is; "" if it is none.
std::string input_name(Call& call, int i) {
  const Energy::Data& data = call.load().data();
  if (const auto* map = call.find<MapRef>(i)) return data.maps[map->id.index()].name;
  FieldId field;
  if (const auto* read = call.find<FieldRef>(i)) field = read->id;
  const auto look_at = [&](ExprId id) {
    if (data.graph[id].op == Op::Access) field = data.graph.field(id);
  };
  if (const auto* scalar = call.find<Scalar>(i)) look_at(scalar->id);
  if (const auto* vector = call.find<Vector>(i); vector != nullptr && !vector->entries.empty())
    look_at(vector->entries.front());
  return field.valid() ? data.fields[field.index()].name : "";
}

// __newindex of the user's globals: the first value of a global names it for get(). In Opt's
// dialect an input is such a value. A = A(x, y) may follow an input of that name, A = 3 may not.
int set_global(Call& call) {
  lua_State* state = call.lua();
  const std::string name = call.text(2, "the name of a global");
  if (push_from(state, InputsKey) && call.find_value(3) == nullptr)
    call.fault(
        "{} is an input, and would be replaced by {}; give that another name, or write local "
        "{} = ...",
        name, call.describe(3), name);
  if (call.load().kind() == TextLoad::Kind::OptEnergy && input_name(call, 3) == name) {
    lua_settop(state, 3);
    set_input(state, name.c_str());
    return 0;
  }
  if (const auto* vector = call.find<Vector>(3)) call.load().remember_name(vector->entries, name);
  if (const auto* scalar = call.find<Scalar>(3)) call.load().remember_name({scalar->id}, name);
  lua_settop(state, 3);
  lua_rawset(state, 1);
  return 0;
}

int refuse_library_change(Call& call) {
  call.fault("the names of the energy language cannot be changed through this table");
}

// print writes to the log: library code has no standard output.
int print(Call& call) {
  std::string line;
  for (int i = 1; i <= call.num_arguments(); ++i) {
    if (i > 1) line += '\t';
    const bool is_text = lua_type(call.lua(), i) == LUA_TSTRING;
    line += is_text ? lua_tostring(call.lua(), i) : call.describe(i);
  }
  logger("language").info("{}: {}", call.where().text(), line);
  return 0;
}

// For the prelude: expected("a table", x) reports that x, an argument of the user, is none, and
// returns Poison, which the prelude returns in turn. The prelude has no other way to fail.
int report_expected(Call& call) {
  const std::string expected = call.text(1, "a text");
  if (call.is_table(2))  // a fault inside of the table says more
    call.fault("expected {}, found a list of {}", expected, call.elements(2).size());
  call.fault_expected(2, expected);
}

// For loops and tests of the prelude: the number of entries of a value, 0 if it cannot have any.
int num_entries(Call& call) {
  std::size_t count = 0;
  try {
    count = call.elements(1).size();
  } catch (const Fault&) {
  } catch (const AlreadyReported&) {
  }
  lua_pushinteger(call.lua(), static_cast<lua_Integer>(count));
  return 1;
}

// For the prelude: the argument s of a loss, and the loss that is ρ(s).
int squared_norm(Call& call) { return call.push_scalar(call.graph().argument(0)); }
int own_loss(Call& call) {
  if (const auto* loss = call.find<LossRef>(1); loss != nullptr && loss->known != nullptr)
    call.fault("{0} is given with its scale: r.fit:loss({0}(0.5))", loss->known->name);
  return call.push(Value(LossRef{nullptr, call.scalar(1, "an expression of s from the function")}));
}

// For the prelude: check_pattern(text, pattern, is_literal) is a fault if matching the pattern in
// the text could take too long. It returns nothing when all is well.
int check_pattern(Call& call) {
  const std::string text = call.text(1, "a text");
  const std::string pattern = call.text(2, "a pattern, which is a text");
  const bool is_literal = lua_toboolean(call.lua(), 3) != 0;
  const double steps = max_match_steps(pattern, is_literal, text.size());
  if (steps <= MaxMatchSteps) return 0;
  call.fault(
      "matching a pattern of {} characters in a text of {} could take {:.0e} steps, and {:.0e} are "
      "allowed; every *, +, - and ? of the pattern multiplies them, so cut the text or the pattern",
      pattern.size(), text.size(), steps, MaxMatchSteps);
}

constexpr HostFunction EnvironmentOperators[] = {{"__index", &find_global},
                                                 {"__newindex", &set_global, true}};
constexpr HostFunction AliasOperators[] = {{"__index", &find_global},
                                           {"__newindex", &refuse_library_change}};
constexpr HostFunction MemberOperators[] = {{"__index", &find_library_member}};
constexpr HostFunction OwnFunctions[] = {{"print", &print}};
constexpr HostFunction PreludeFunctions[] = {{"__check_pattern", &check_pattern},
                                             {"__expected", &report_expected},
                                             {"__num_entries", &num_entries, true},
                                             {"__own_loss", &own_loss},
                                             {"__squared_norm", &squared_norm}};

// Copies fields of the table on the top of the stack into the one below it.
void copy_fields(lua_State* state, std::span<const char* const> names) {
  for (const char* name : names) {
    lua_getfield(state, -1, name);
    lua_setfield(state, -3, name);
  }
}

// Adds a Lua library, cut down to some names, as a field of the table on the top of the stack.
void add_lua_library(lua_State* state, const char* name, lua_CFunction open,
                     std::span<const char* const> names) {
  lua_newtable(state);
  luaL_requiref(state, name, open, 0);
  copy_fields(state, names);
  lua_pop(state, 1);
  lua_newtable(state);
  lua_pushstring(state, name);
  lua_setfield(state, -2, "__name");
  add_functions(state, MemberOperators);
  lua_setmetatable(state, -2);
  lua_setfield(state, -2, name);
}

void set_globals(lua_State* state) {  // pops the table
  lua_rawseti(state, LUA_REGISTRYINDEX, LUA_RIDX_GLOBALS);
}

void fill_library(lua_State* state) {
  add_declarations(state);
  add_types(state);
  add_math(state);
  add_motions(state);
  add_conditions(state);
  add_statements(state);
  add_residuals(state);
  add_functions(state, OwnFunctions);

  luaL_requiref(state, "_G", luaopen_base, 0);
  copy_fields(state, BaseNames);
  lua_pop(state, 1);
  add_lua_library(state, "string", luaopen_string, StringNames);
  add_lua_library(state, "table", luaopen_table, TableNames);
  add_lua_library(state, "math", luaopen_math, MathNames);

  // ("x"):rep(3): methods of texts are the ones of the cut-down library.
  lua_pushliteral(state, "");
  lua_getmetatable(state, -1);
  lua_getfield(state, -3, "string");
  lua_setfield(state, -2, "__index");
  lua_pop(state, 2);

  lua_getfield(state, -1, "math");
  for (const char* name : SharedMathNames) {
    lua_getfield(state, -2, name);
    lua_setfield(state, -2, name);
  }
  lua_pop(state, 1);
}

// Adds a table that answers with every name of the language: ad.sqrt, thallo.Dim.
void add_alias(lua_State* state, const char* name) {
  lua_newtable(state);
  lua_newtable(state);
  add_functions(state, AliasOperators);
  lua_setmetatable(state, -2);
  lua_setfield(state, -2, name);
}

}  // namespace

void open_environment(TextLoad& load) {
  const LuaState::HostSection section(load.lua());
  lua_State* state = load.lua().raw();
  make_metatables(load);
  lua_newtable(state);
  lua_setfield(state, LUA_REGISTRYINDEX, InputsKey);
  add_methods(state);
  add_schedule_methods(state);

  lua_newtable(state);
  lua_pushvalue(state, -1);
  lua_setfield(state, LUA_REGISTRYINDEX, LibraryKey);
  fill_library(state);

  // The prelude runs with the library as its globals, so that what it defines belongs to the
  // library. `host` holds helpers that it alone sees.
  lua_newtable(state);
  add_functions(state, PreludeFunctions);
  for (const Value& kind : {Value(Scalar{}), Value(Vector{}), Value(ScheduleName{})}) {
    push_methods(state, kind_name(kind));
    lua_setfield(state, -2, kind_name(kind));
  }
  luaL_requiref(state, "_G", luaopen_base, 0);
  for (const char* name : {"next", "setmetatable"}) {
    lua_getfield(state, -1, name);
    lua_setfield(state, -3, name);
  }
  lua_pop(state, 1);
  push_condition_check(state);
  lua_setfield(state, -2, "condition");
  lua_setfield(state, -2, "host");
  set_globals(state);
  const bool is_opt = load.kind() == TextLoad::Kind::OptEnergy;
  for (const char* prelude : {Prelude, is_opt ? OptPrelude : ""}) {
    const auto failure = load.lua().run(prelude, PreludeChunk);
    THALLO_ASSERT(!failure, "prelude:{}: {}", failure->line, failure->message);
  }
  lua_getfield(state, LUA_REGISTRYINDEX, LibraryKey);
  lua_pushnil(state);
  lua_setfield(state, -2, "host");
  add_alias(state, "ad");
  add_alias(state, "thallo");
  if (is_opt) {
    add_alias(state, "opt");
    use_opt_names(load);
  }
  lua_pop(state, 1);

  lua_newtable(state);
  lua_newtable(state);
  add_functions(state, EnvironmentOperators);
  lua_setmetatable(state, -2);
  set_globals(state);
  add_condition_checks(state);
}

void set_user_global(lua_State* state, const char* name) {
  lua_rawgeti(state, LUA_REGISTRYINDEX, LUA_RIDX_GLOBALS);
  lua_insert(state, -2);
  lua_pushstring(state, name);
  lua_insert(state, -2);
  lua_rawset(state, -3);
  lua_pop(state, 1);
}

void set_input(lua_State* state, const char* name) {
  lua_getfield(state, LUA_REGISTRYINDEX, InputsKey);
  lua_insert(state, -2);
  lua_setfield(state, -2, name);
  lua_pop(state, 1);
}

bool is_input(lua_State* state, const char* name) {
  lua_getfield(state, LUA_REGISTRYINDEX, InputsKey);
  const bool is_one = lua_getfield(state, -1, name) != LUA_TNIL;
  lua_pop(state, 2);
  return is_one;
}

void push_library(lua_State* state) { lua_getfield(state, LUA_REGISTRYINDEX, LibraryKey); }

bool is_language_name(lua_State* state, const std::string& name) {
  push_library(state);
  lua_pushlstring(state, name.data(), name.size());
  lua_rawget(state, -2);
  const bool found = !lua_isnil(state, -1);
  lua_pop(state, 2);
  return found;
}

}  // namespace thallo::language
