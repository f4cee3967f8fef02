#include "core/language/load_energy.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "core/energy/validate.h"
#include "core/frontend/source_file.h"
#include "core/language/environment.h"
#include "core/language/load_text.h"
#include "core/language/opt/opt_energy.h"
#include "core/language/text_check.h"
#include "core/language/text_load.h"

namespace thallo {

Expected<EnergyFile> language::load_text(Dialect dialect, std::string_view text,
                                         const std::string& name, const LoadLimits& limits) {
  THALLO_CHECK(check_is_text(text, name, "an energy"));
  const bool is_opt = dialect == Dialect::Opt;
  TextLoad load(is_opt ? TextLoad::Kind::OptEnergy : TextLoad::Kind::Energy, name,
                std::filesystem::path(name).stem().string(), limits);
  open_environment(load);
  load.run(text);
  if (is_opt) load.opt->finish();
  Expected<Energy> energy = std::move(load.builder()).build();
  if (energy) {
    const std::vector<Diagnostic> faults = load.find_other_bounds(*energy);
    if (!faults.empty())
      energy = fail(combine_faults(fmt::format("energy '{}'", energy->name()), faults));
  }
  if (!energy) {
    Diagnostic fault = std::move(energy.error());
    if (!fault.where.known()) fault.where.file = name;
    return fail(std::move(fault));
  }
  THALLO_TRY(auto schedule, std::move(load.schedule).take(&*energy));
  return EnergyFile{std::move(*energy), load.defaults, std::move(schedule), is_opt ? "opt" : ""};
}

Expected<EnergyFile> load_energy(const std::filesystem::path& path, const LoadLimits& limits) {
  THALLO_TRY(const auto text, read_source(path, "an energy text"));
  return load_energy_text(text, path.string(), limits);
}

Expected<EnergyFile> load_energy(const std::filesystem::path& path,
                                 std::span<const TextSetting> settings) {
  THALLO_TRY(auto text, read_source(path, "an energy text"));
  for (const TextSetting& setting : settings) {
    const std::string line = fmt::format("\nlocal {} = ", setting.name);
    const std::size_t found = text.find(line);
    if (found == std::string::npos)
      return fail_at({path.string(), 0, 0}, "has no line 'local {} = ...'", setting.name);
    const std::size_t value = found + line.size();
    const std::size_t end = std::min(text.find('\n', value), text.find(" --", value));
    text.replace(value, end - value, setting.value);
  }
  return load_energy_text(text, path.string());
}

Expected<EnergyFile> load_energy_text(std::string_view text, const std::string& name,
                                      const LoadLimits& limits) {
  return language::load_text(language::dialect_of(text), text, name, limits);
}

}  // namespace thallo
