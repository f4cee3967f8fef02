#include "core/language/energy_file.h"

#include <cerrno>
#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>

#include "core/language/session.h"

namespace thallo {
namespace {

// A page of text has a few thousand characters; this is for the wrong file.
constexpr std::uintmax_t MaxFileBytes = std::uintmax_t{4} << 20;

}  // namespace

Expected<EnergyFile> load_energy(const std::filesystem::path& path, const LoadLimits& limits) {
  const SourceLocation where{path.string(), 0, 0};
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) return fail_at(where, "there is no such file");
  if (!std::filesystem::is_regular_file(status))
    return fail_at(where, "an energy text is a file, this is a {}",
                   std::filesystem::is_directory(status) ? "folder" : "device");
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  if (!error && size > MaxFileBytes)
    return fail_at(where, "{} bytes are too many for an energy text (at most {})", size,
                   MaxFileBytes);
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  if (!file.is_open() || file.bad())
    return fail_at(where, "cannot be read: {}", std::generic_category().message(errno));
  return load_energy_text(text, path.string(), limits);
}

Expected<EnergyFile> load_energy_text(std::string_view text, const std::string& name,
                                      const LoadLimits& limits) {
  if (text.starts_with(LUA_SIGNATURE))
    return fail_at({name, 0, 0}, "this is compiled Lua; an energy is written as text");
  language::Session session(name, std::filesystem::path(name).stem().string(), limits);
  session.run(text);
  Expected<Energy> energy = std::move(session.builder()).build();
  if (!energy) {
    Diagnostic fault = std::move(energy.error());
    if (!fault.where.known()) fault.where.file = name;
    return fail(std::move(fault));
  }
  return EnergyFile{std::move(*energy), session.defaults};
}

}  // namespace thallo
