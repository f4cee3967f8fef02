#include "core/cli/commands/random_energy_files.h"

#include <string>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/random.h"
#include "core/energy/random/random_energy.h"
#include "core/language/energy_text.h"
#include "core/language/load_energy.h"

namespace thallo::cli {
namespace {

// Binds what the text declares, which leaves out inputs that nothing reads.
std::string bindings_text(const Energy& energy, const RandomProblem& problem, std::uint64_t seed) {
  std::string text = "[bind]\n";
  for (const Dim& dim : energy.dims())
    text += fmt::format("{} = {}\n", dim.name, problem.extents.at(dim.name));
  Random random(seed);
  for (const Field& field : energy.fields()) {
    if (field.kind == FieldKind::Intermediate) continue;
    text += field.kind == FieldKind::Param
                ? fmt::format("{} = {:.2f}\n", field.name, random.uniform(0.25, 1.5))
                : fmt::format("{} = \"random\"\n", field.name);
  }
  for (const SparseMap& map : energy.maps())
    text += fmt::format("{} = \"{}\"\n", map.name, problem.has_nearby_maps ? "nearby" : "random");
  return text;
}

}  // namespace

std::vector<SkeletonFile> random_energy_files(std::string_view name, std::uint64_t seed) {
  const RandomProblem problem = make_random_problem(seed);
  const auto text = energy_text(problem.energy);
  THALLO_ASSERT(text, "random energy {}: {}", seed, text.error().message());
  const std::string file = fmt::format("{}.lua", name);
  const auto loaded = load_energy_text(*text, file);
  THALLO_ASSERT(loaded, "random energy {}: {}", seed, loaded.error().message());
  const std::string header = fmt::format(
      "-- The random energy of seed {0}, by `thallo new energy {1} --random {0}`.\n", seed, name);
  const std::string description = fmt::format(
      "title = \"Random energy {0}\"\nshows = \"what the seed {0} gives\"\n\n{1}\n[solver]\n"
      "nIterations = 20\n",
      seed, bindings_text(loaded->energy, problem, seed));
  return {{file, header + *text}, {fmt::format("{}.toml", name), description}};
}

}  // namespace thallo::cli
