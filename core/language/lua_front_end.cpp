#include "core/language/lua_front_end.h"

#include <memory>

#include "core/base/error.h"
#include "core/language/load_energy.h"
#include "core/language/names.h"

namespace thallo {
namespace {

class LuaFrontEnd final : public FrontEnd {
 public:
  std::string_view name() const override { return "lua"; }
  std::string_view doc() const override { return "Energies in Lua."; }
  // Texts of Opt and of the published system end in .t; most of the latter load unchanged.
  std::vector<std::string> suffixes() const override { return {".lua", ".t"}; }
  Expected<EnergyFile> load(std::string_view text, const std::string& name) const override {
    return load_energy_text(text, name);
  }
  LanguageWords words() const override {
    return {.keywords = {"and",      "break",  "do",   "else", "elseif", "end",  "false", "for",
                         "function", "goto",   "if",   "in",   "local",  "nil",  "not",   "or",
                         "repeat",   "return", "then", "true", "until",  "while"},
            .names = functions(),
            .comment = "--"};
  }

 private:
  // Methods, "vector:slice", are no names that can be written.
  static std::vector<std::string> functions() {
    std::vector<std::string> names = language_names();
    std::erase_if(names, [](const std::string& name) { return name.find(':') != name.npos; });
    return names;
  }
};

}  // namespace

void add_front_ends(FrontEndRegistry& registry) {
  const auto added = registry.add("lua", std::make_unique<LuaFrontEnd>(), "thallo");
  THALLO_ASSERT(added.has_value(), "the front end lua is there twice");
}

}  // namespace thallo
