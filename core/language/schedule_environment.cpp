#include "core/language/schedule_environment.h"

#include <cctype>

#include "core/language/call.h"
#include "core/language/operators.h"
#include "core/language/schedule_methods.h"

namespace thallo::language {
namespace {

constexpr std::string_view HashPrefix = "content_hash_";

bool is_hex(char c) { return std::isxdigit(static_cast<unsigned char>(c)) != 0; }

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

// The end of the long bracket, [==[ ... ]==], that begins at `begin`; `begin` when none does.
std::size_t skip_long_bracket(std::string_view text, std::size_t begin) {
  std::size_t at = begin + 1;
  while (at < text.size() && text[at] == '=') ++at;
  if (at >= text.size() || text[at] != '[') return begin;
  const std::string closing = "]" + std::string(at - begin - 1, '=') + "]";
  const std::size_t end = text.find(closing, at);
  return end == std::string_view::npos ? text.size() : end + closing.size();
}

std::size_t skip_quotes(std::string_view text, std::size_t begin) {
  std::size_t at = begin + 1;
  while (at < text.size() && text[at] != text[begin] && text[at] != '\n') {
    at += text[at] == '\\' ? 2 : 1;
  }
  return std::min(at + 1, text.size());
}

// The end of the comment or text that begins at `begin`; `begin` when none does.
std::size_t skip_verbatim(std::string_view text, std::size_t begin) {
  if (text[begin] == '"' || text[begin] == '\'') return skip_quotes(text, begin);
  if (text[begin] == '[') return skip_long_bracket(text, begin);
  if (!text.substr(begin).starts_with("--")) return begin;
  const std::size_t content = begin + 2;
  if (content < text.size() && text[content] == '[') {
    const std::size_t end = skip_long_bracket(text, content);
    if (end != content) return end;
  }
  return std::min(text.find('\n', begin), text.size());
}

}  // namespace

std::string to_lua_names(std::string_view text) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = skip_verbatim(text, at);
    if (end != at) {
      result += text.substr(at, end - at);
      at = end;
    } else if (text[at] == '%' && at + 1 < text.size() && is_hex(text[at + 1])) {
      result += HashPrefix;
      ++at;
    } else {
      result += text[at++];
    }
  }
  return result;
}

std::string from_lua_names(std::string_view text) {
  std::string result(text);
  for (std::size_t at = result.find(HashPrefix); at != std::string::npos;
       at = result.find(HashPrefix, at)) {
    result.replace(at, HashPrefix.size(), "%");
  }
  return result;
}

void open_schedule_environment(Session& session) {
  const LuaState::HostSection section(session.lua());
  lua_State* state = session.lua().raw();
  make_metatables(session);
  add_schedule_methods(state);
  lua_newtable(state);
  lua_newtable(state);
  add_functions(state, ScheduleOperators);
  lua_setmetatable(state, -2);
  lua_rawseti(state, LUA_REGISTRYINDEX, LUA_RIDX_GLOBALS);
}

}  // namespace thallo::language
