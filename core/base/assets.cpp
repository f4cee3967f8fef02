#include "core/base/assets.h"

#include <dlfcn.h>

#include <algorithm>
#include <system_error>

namespace thallo {

namespace fs = std::filesystem;

fs::path core_folder() {
  Dl_info info = {};
  if (dladdr(reinterpret_cast<const void*>(&core_folder), &info) == 0) return {};
  std::error_code error;
  const fs::path library = fs::canonical(info.dli_fname, error);
  return error ? fs::path() : library.parent_path();
}

std::optional<fs::path> find_asset(const fs::path& name) {
  const fs::path path = core_folder().parent_path() / "share" / "thallo" / name;
  std::error_code error;
  if (!fs::exists(path, error)) return std::nullopt;
  return path;
}

bool is_shipped(const fs::path& file) {
  std::error_code error;
  const fs::path path = fs::weakly_canonical(file, error);
  const auto is_in = [&](const fs::path& folder) {
    const fs::path its = fs::weakly_canonical(folder, error);
    return std::ranges::mismatch(its, path).in1 == its.end();
  };
  return is_in(core_folder() / "thallo") || is_in(core_folder().parent_path() / "share" / "thallo");
}

}  // namespace thallo
