#include "core/language/lua_state.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>

#include <fmt/format.h>

#include "core/base/error.h"

namespace thallo::language {
namespace {

constexpr int InstructionsPerHook = 1'000;

bool is_chunk(const lua_Debug& activation, const char* chunk) {
  return activation.source[0] == '=' && std::strcmp(activation.source + 1, chunk) == 0;
}

// Takes "chunk:LINE: " off the front of a message of Lua. Returns the line, 0 when there is none.
int take_position(std::string& message, std::string_view chunk) {
  if (message.rfind(fmt::format("{}:", chunk), 0) != 0) return 0;
  int line = 0;
  const char* first = message.data() + chunk.size() + 1;
  const auto [end, error] = std::from_chars(first, message.data() + message.size(), line);
  if (error != std::errc() || std::strncmp(end, ": ", 2) != 0) return 0;
  message.erase(0, static_cast<std::size_t>(end + 2 - message.data()));
  return line;
}

}  // namespace

CallSite find_call_site(lua_State* state) {
  CallSite site;
  lua_Debug activation;
  for (int level = 0; lua_getstack(state, level, &activation) == 1; ++level) {
    lua_getinfo(state, "Sl", &activation);
    if (is_chunk(activation, UserChunk)) {
      site.line = activation.currentline;
      return site;
    }
    if (!is_chunk(activation, PreludeChunk)) continue;
    // Lua finds the name in the caller's instructions, which takes longer the more there are.
    lua_getinfo(state, "n", &activation);
    site.helper = activation.name != nullptr ? activation.name : "";
  }
  return site;
}

LuaState::LuaState(const LoadLimits& limits) : limits_(limits) {
  state_ = lua_newstate(&LuaState::allocate, this);
  THALLO_ASSERT(state_ != nullptr, "no memory for a Lua interpreter");
}

LuaState::~LuaState() { lua_close(state_); }

LuaState& LuaState::of(lua_State* state) {
  void* self = nullptr;
  lua_getallocf(state, &self);
  return *static_cast<LuaState*>(self);
}

void* LuaState::allocate(void* self, void* block, std::size_t old_size, std::size_t new_size) {
  LuaState& lua = *static_cast<LuaState*>(self);
  if (block == nullptr) old_size = 0;  // Lua passes the kind of object then
  if (new_size == 0) {
    std::free(block);
    lua.used_bytes_ -= old_size;
    return nullptr;
  }
  const bool grows = new_size > old_size;
  const std::size_t used = lua.used_bytes_ - old_size + new_size;
  if (grows && lua.limited_ && lua.host_depth_ == 0 && used > lua.limits_.memory_bytes) {
    lua.refused_line_ = find_call_site(lua.state_).line;
    return nullptr;
  }
  void* result = std::realloc(block, new_size);
  if (result != nullptr) lua.used_bytes_ = used;
  return result;
}

void LuaState::charge(std::size_t bytes) {
  used_bytes_ += bytes;
  // Lua's collector does not know of these bytes, so it is asked before the limit is called passed.
  if (used_bytes_ > limits_.memory_bytes) lua_gc(state_, LUA_GCCOLLECT);
}

std::string LuaState::memory_message() const {
  return fmt::format(
      "the text used more than {} MiB of memory; does it build a table, a text or a vector without "
      "end?",
      limits_.memory_bytes >> 20);
}

std::optional<std::string> LuaState::find_passed_limit() {
  if (!limited_) return std::nullopt;
  if (instructions_ > limits_.instructions)
    return fmt::format("the text ran for more than {} instructions; is there an endless loop?",
                       limits_.instructions);
  if (used_bytes_ > limits_.memory_bytes) {
    const HostSection section(*this);
    lua_gc(state_, LUA_GCCOLLECT);
    if (used_bytes_ > limits_.memory_bytes) return memory_message();
  }
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start_;
  if (elapsed.count() > limits_.seconds)
    return fmt::format("the text ran for more than {} seconds; is there an endless loop?",
                       limits_.seconds);
  return std::nullopt;
}

void LuaState::count_instructions(lua_State* state, lua_Debug*) {
  LuaState& lua = of(state);
  lua.instructions_ += InstructionsPerHook;
  {
    const std::optional<std::string> passed = lua.find_passed_limit();
    if (!passed) return;
    const HostSection section(lua);
    lua_pushlstring(state, passed->data(), passed->size());
  }
  lua_error(state);
}

// Message handler: replaces the error object by "LINE:message", where LINE is that of the user's
// text. It runs where the error was raised, so the stack still tells the line.
int LuaState::describe_error(lua_State* state) {
  const HostSection section(of(state));
  std::string message;
  if (lua_type(state, 1) == LUA_TSTRING) {
    message = lua_tostring(state, 1);
  } else {
    message =
        fmt::format("error() was called with a {} instead of a text", luaL_typename(state, 1));
  }
  CallSite site = find_call_site(state);
  if (const int line = take_position(message, UserChunk); line > 0) {
    site.line = line;
  } else if (take_position(message, PreludeChunk) > 0 && !site.helper.empty()) {
    message = fmt::format("{}: {}", site.helper, message);
  }
  message = fmt::format("{}:{}", site.line, message);
  lua_pushlstring(state, message.data(), message.size());
  return 1;
}

std::optional<LuaState::Failure> LuaState::run(std::string_view text, const char* chunk,
                                               const std::function<std::string()>& runs_as) {
  const std::string chunk_name = fmt::format("={}", chunk);
  const bool is_user_text = std::strcmp(chunk, UserChunk) == 0;
  lua_settop(state_, 0);
  lua_pushcfunction(state_, &LuaState::describe_error);
  int status = LUA_OK;
  {
    limited_ = is_user_text;
    start_ = std::chrono::steady_clock::now();
    if (limited_)
      lua_sethook(state_, &LuaState::count_instructions, LUA_MASKCOUNT, InstructionsPerHook);
    const auto compile = [&](std::string_view compiled) {
      lua_settop(state_, 1);
      status = luaL_loadbufferx(state_, compiled.data(), compiled.size(), chunk_name.c_str(), "t");
    };
    compile(text);
    if (status == LUA_OK && runs_as) compile(runs_as());
    if (status == LUA_OK) status = lua_pcall(state_, 0, 0, 1);
    lua_sethook(state_, nullptr, 0, 0);
    limited_ = false;
  }
  if (status == LUA_OK) return std::nullopt;

  Failure failure;
  if (status == LUA_ERRMEM) {
    failure = {.message = memory_message(), .line = refused_line_};
  } else {
    failure.message = lua_type(state_, -1) == LUA_TSTRING ? lua_tostring(state_, -1)
                                                          : "the text failed without a message";
    if (status == LUA_ERRSYNTAX) {
      failure.line = take_position(failure.message, chunk);
      failure.is_syntax = true;
    } else {
      const std::size_t colon = failure.message.find(':');
      const char* first = failure.message.data();
      std::from_chars(first, first + std::min(colon, failure.message.size()), failure.line);
      if (colon != std::string::npos) failure.message.erase(0, colon + 1);
    }
  }
  lua_settop(state_, 0);
  return failure;
}

}  // namespace thallo::language
