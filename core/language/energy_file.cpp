#include "core/language/energy_file.h"

#include <utility>

#include "core/language/environment.h"
#include "core/language/session.h"
#include "core/language/source_text.h"

namespace thallo {

Expected<EnergyFile> load_energy(const std::filesystem::path& path, const LoadLimits& limits) {
  const auto text = language::read_source(path, "an energy text");
  if (!text) return fail(text.error());
  return load_energy_text(*text, path.string(), limits);
}

Expected<EnergyFile> load_energy_text(std::string_view text, const std::string& name,
                                      const LoadLimits& limits) {
  if (auto checked = language::check_is_text(text, name, "an energy"); !checked)
    return fail(checked.error());
  language::Session session(language::Session::Kind::Energy, name,
                            std::filesystem::path(name).stem().string(), limits);
  language::open_environment(session);
  session.run(text);
  Expected<Energy> energy = std::move(session.builder()).build();
  if (!energy) {
    Diagnostic fault = std::move(energy.error());
    if (!fault.where.known()) fault.where.file = name;
    return fail(std::move(fault));
  }
  auto schedule = std::move(session.schedule).take(&*energy);
  if (!schedule) return fail(schedule.error());
  return EnergyFile{std::move(*energy), session.defaults, *std::move(schedule)};
}

}  // namespace thallo
