#include "core/language/lua_front_end.h"

#include <memory>

#include "core/base/error.h"
#include "core/language/load_text.h"
#include "core/language/names.h"

namespace thallo {
namespace {

class LuaFrontEnd final : public FrontEnd {
 public:
  explicit LuaFrontEnd(language::Dialect dialect) : dialect_(dialect) {}

  std::string_view name() const override { return is_opt() ? "opt" : "lua"; }
  std::string_view doc() const override {
    return is_opt() ? "Energies in Lua, in the dialect of Opt." : "Energies in Lua.";
  }
  // Texts of Opt and of the published system end in .t; most of the latter load unchanged.
  std::vector<std::string> suffixes() const override {
    if (is_opt()) return {".t", ".lua"};
    return {".lua", ".t"};
  }
  bool recognizes(std::string_view text) const override {
    return language::dialect_of(text) == dialect_;
  }
  Expected<EnergyFile> load(std::string_view text, const std::string& name) const override {
    return language::load_text(dialect_, text, name);
  }
  LanguageWords words() const override {
    return {.keywords = {"and",      "break",  "do",   "else", "elseif", "end",  "false", "for",
                         "function", "goto",   "if",   "in",   "local",  "nil",  "not",   "or",
                         "repeat",   "return", "then", "true", "until",  "while"},
            .names = functions(),
            .comment = "--"};
  }

 private:
  bool is_opt() const { return dialect_ == language::Dialect::Opt; }

  // Methods, "vector:slice", are no names that can be written.
  std::vector<std::string> functions() const {
    std::vector<std::string> names = language_names(dialect_);
    std::erase_if(names, [](const std::string& name) { return name.find(':') != name.npos; });
    return names;
  }

  language::Dialect dialect_;
};

}  // namespace

void add_front_ends(FrontEndRegistry& registry) {
  for (const language::Dialect dialect : {language::Dialect::Thallo, language::Dialect::Opt}) {
    auto front_end = std::make_unique<LuaFrontEnd>(dialect);
    const std::string name(front_end->name());
    const auto added = registry.add(name, std::move(front_end), "thallo");
    THALLO_ASSERT(added.has_value(), "the front end {} is there twice", name);
  }
}

}  // namespace thallo
