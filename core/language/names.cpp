#include "core/language/names.h"

#include <algorithm>

#include "core/language/call.h"
#include "core/language/environment.h"
#include "core/language/operators.h"
#include "core/language/text_load.h"

namespace thallo {
namespace {

// The keys of the table on the top of the stack, which is popped.
std::vector<std::string> take_keys(lua_State* state) {
  std::vector<std::string> keys = language::text_keys(state, -1).names;
  lua_pop(state, 1);
  return keys;
}

}  // namespace

std::vector<std::string> language_names(language::Dialect dialect) {
  using Kind = language::TextLoad::Kind;
  language::TextLoad load(dialect == language::Dialect::Opt ? Kind::OptEnergy : Kind::Energy, "",
                          "", {});
  lua_State* state = load.lua().raw();
  language::open_environment(load);

  std::vector<std::string> names;
  language::push_library(state);
  for (const std::string& name : language::text_keys(state, -1).names) {
    lua_getfield(state, -1, name.c_str());
    const bool is_library = lua_istable(state, -1);
    if (!is_library) {
      names.push_back(name);
      lua_pop(state, 1);
      continue;
    }
    for (const std::string& member : take_keys(state)) names.push_back(name + "." + member);
  }
  lua_pop(state, 1);
  for (const char* kind : language::KindNames) {
    language::push_methods(state, kind);
    for (const std::string& method : take_keys(state))
      names.push_back(std::string(kind) + ":" + method);
  }
  std::ranges::sort(names);
  return names;
}

}  // namespace thallo
