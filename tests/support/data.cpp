#include "tests/support/data.h"

#include <cstdlib>

namespace thallo::test {

void find_data_folder() {
  if (std::getenv("THALLO_DATA_DIR")) return;
  const std::filesystem::path source = THALLO_SOURCE_DIR;
  for (const auto& folder : {source.parent_path() / "shared" / "data",
                             std::filesystem::current_path() / "shared" / "data"}) {
    std::error_code ignored;
    if (!std::filesystem::is_directory(folder, ignored)) continue;
    setenv("THALLO_DATA_DIR", folder.c_str(), 0);
    return;
  }
}

std::optional<std::filesystem::path> find_data(const std::string& name) {
  const char* folder = std::getenv("THALLO_DATA_DIR");
  if (!folder) return std::nullopt;
  std::filesystem::path path = std::filesystem::path(folder) / name;
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) return std::nullopt;
  return path;
}

}  // namespace thallo::test
