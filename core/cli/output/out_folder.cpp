#include "core/cli/output/out_folder.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include <fmt/format.h>

#include "core/base/error.h"

namespace thallo::cli {

void make_out_folder(const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error)
    throw UserError(
        fmt::format("--out {}: the folder cannot be made: {}", folder, error.message()));
  if (access(folder.c_str(), W_OK | X_OK) != 0)
    throw UserError(fmt::format("--out {}: {}", folder, std::strerror(errno)));
}

}  // namespace thallo::cli
