#include "core/base/dump.h"

#include <cstdlib>
#include <system_error>

#include "core/base/io/file.h"
#include "core/base/log.h"

namespace thallo {
namespace {

namespace fs = std::filesystem;

// The folder of THALLO_DUMP; empty when nothing is to be written.
fs::path dump_folder() {
  const char* folder = std::getenv("THALLO_DUMP");
  return folder == nullptr ? fs::path() : fs::path(folder);
}

}  // namespace

bool is_dumping() { return !dump_folder().empty(); }

void dump(const fs::path& name, std::string_view content) {
  const fs::path folder = dump_folder();
  if (folder.empty()) return;
  const fs::path path = folder / name;
  std::error_code ignored;  // writing the file reports a folder that could not be made
  fs::create_directories(path.parent_path(), ignored);
  if (const auto written = write_file(path, content); !written)
    logger("dump").warn("THALLO_DUMP: {}", written.error().message());
}

}  // namespace thallo
