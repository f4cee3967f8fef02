#include "core/base/io/toml.h"

#include "core/base/io/file.h"

namespace thallo {

Expected<toml::table> read_toml(const std::filesystem::path& path) {
  THALLO_TRY(const auto content, read_file(path));
  return parse_toml(content, path);
}

Expected<toml::table> parse_toml(std::string_view text, const std::filesystem::path& name) {
  try {
    return toml::parse(text, name.string());
  } catch (const toml::parse_error& error) {
    return fail_at({name, static_cast<int>(error.source().begin.line), 0}, "{}",
                   error.description());
  }
}

SourceLocation location_of(const std::filesystem::path& path, const toml::node& node) {
  return {path, static_cast<int>(node.source().begin.line), 0};
}

}  // namespace thallo
