#include "problems/deconvolution/centered_energy.h"

#include <string>
#include <string_view>

#include "core/base/io/file.h"
#include "core/language/load_energy.h"

namespace thallo::deconvolution {

Expected<EnergyFile> load_centered(const std::filesystem::path& path, int kernel_size) {
  constexpr std::string_view Line = "\nlocal center = ";
  auto text = read_file(path);
  if (!text) return fail(text.error());
  const std::size_t found = text->find(Line);
  if (found == std::string::npos) {
    return fail_at({path.string(), 0, 0},
                   "has no line 'local center = ...', which says where the "
                   "middle of the kernel is");
  }
  const std::size_t number = found + Line.size();
  const std::size_t end = text->find_first_not_of("0123456789", number);
  text->replace(number, end - number, std::to_string((kernel_size - 1) / 2));
  return load_energy_text(*text, path.string());
}

}  // namespace thallo::deconvolution
