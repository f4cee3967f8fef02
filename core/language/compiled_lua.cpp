#include "core/language/compiled_lua.h"

#include <lua.hpp>

namespace thallo::language {

Expected<void> refuse_compiled(std::string_view text, const std::string& name,
                               std::string_view what) {
  if (text.starts_with(LUA_SIGNATURE))
    return fail_at({name, 0, 0}, "this is compiled Lua; {} is written as text", what);
  return {};
}

}  // namespace thallo::language
