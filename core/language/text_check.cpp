#include "core/language/text_check.h"

#include <algorithm>

#include <lua.hpp>

namespace thallo::language {

Expected<void> check_is_text(std::string_view text, const std::string& name,
                             std::string_view what) {
  if (text.starts_with(LUA_SIGNATURE))
    return fail_at({name, 0, 0}, "this is compiled Lua; {} is written as text", what);
  const std::size_t nul = text.find('\0');
  if (nul == text.npos) return {};
  const auto line = 1 + std::ranges::count(text.substr(0, nul), '\n');
  return fail_at({name, static_cast<int>(line), 0},
                 "the line holds a NUL byte; {} is written as text, which has none", what);
}

}  // namespace thallo::language
