#pragma once

// LuaState owns one Lua interpreter without any library. The text cannot escape its limits: the
// allocator bounds memory, an instruction hook ends endless loops. Nothing in the sandbox catches
// errors (there is no pcall), so an error raised by a limit always ends the run.
//
// Lua reports errors with longjmp, which skips destructors. Hence the rule of this folder: C++ code
// that Lua calls runs inside a HostSection, in which the allocator does not refuse (an overrun is
// raised when the section has ended); it calls no Lua function that can raise, and it reports by
// C++ exceptions, which the trampoline in call.cpp turns into Lua errors after all destructors have
// run.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include <lua.hpp>

#include "core/frontend/load_limits.h"

namespace thallo::language {

// The names of the two Lua chunks. In messages, the user's file stands for the first; places in the
// second are left out.
inline constexpr const char* UserChunk = "energy";
inline constexpr const char* PreludeChunk = "prelude";

// The current place in the user's text: the line in its innermost frame, of the text that Lua was
// given (token_lines.h), and the prelude function that it called on the way to the running function
// ("Rotate3D"; empty if none).
struct CallSite {
  int line = 0;
  std::string helper;
};
CallSite find_call_site(lua_State* state);

class LuaState {
 public:
  explicit LuaState(const LoadLimits& limits);
  ~LuaState();
  LuaState(const LuaState&) = delete;
  LuaState& operator=(const LuaState&) = delete;

  lua_State* raw() const { return state_; }

  // Compiles and runs a text with the current globals table. The hook and the memory limit are
  // active for the user's text only. What `runs_as` returns once the text has compiled runs in its
  // place.
  struct Failure {
    std::string message;
    int line = 0;  // 0 if unknown
    bool is_syntax = false;
  };
  std::optional<Failure> run(std::string_view text, const char* chunk,
                             const std::function<std::string()>& runs_as = {});

  // While an object exists, allocations are not refused.
  class HostSection {
   public:
    explicit HostSection(LuaState& lua) : lua_(lua) { ++lua_.host_depth_; }
    ~HostSection() { --lua_.host_depth_; }
    HostSection(const HostSection&) = delete;
    HostSection& operator=(const HostSection&) = delete;

   private:
    LuaState& lua_;
  };

  // Counts bytes that values own outside of Lua's heap like Lua's own bytes.
  void charge(std::size_t bytes);
  void release(std::size_t bytes) { used_bytes_ -= bytes; }

  // Returns a message about the limit that was exceeded; absent if none was. Called at the end of
  // every host function.
  std::optional<std::string> find_passed_limit();

 private:
  static void* allocate(void* self, void* block, std::size_t old_size, std::size_t new_size);
  static void count_instructions(lua_State* state, lua_Debug* activation);
  static int describe_error(lua_State* state);
  static LuaState& of(lua_State* state);
  std::string memory_message() const;

  LoadLimits limits_;
  lua_State* state_ = nullptr;
  bool limited_ = false;
  int host_depth_ = 0;
  std::size_t used_bytes_ = 0;
  std::int64_t instructions_ = 0;
  std::chrono::steady_clock::time_point start_;
  int refused_line_ = 0;  // the line where the allocator last refused
};

}  // namespace thallo::language
