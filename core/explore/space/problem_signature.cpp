#include "core/explore/space/problem_signature.h"

#include <span>
#include <variant>

#include "core/base/hash.h"
#include "core/energy/print.h"

namespace thallo {
namespace {

void update(Hasher& hasher, const Problem& problem, const Options& options) {
  hasher.update(problem.info().name);
  for (const OptionSpec& spec : problem.options()) {
    if (spec.is_file) continue;
    const PropertyValue* value = options.find_value(spec.name);
    hasher.update(spec.name).update(to_string(value ? *value : spec.default_value));
  }
}

template <class T>
void update(Hasher& hasher, const std::vector<T>& values) {
  hasher.update(values.size()).update(std::as_bytes(std::span(values)));
}

void update(Hasher& hasher, const Energy& energy, const Binding& binding) {
  hasher.update(to_string(energy));
  update(hasher, binding.extents());
  for (std::size_t i = 0; i < energy.fields().size(); ++i) {
    const HostArray::Storage& storage = binding.field(FieldId(i)).storage();
    hasher.update(storage.index());
    std::visit([&](const auto& values) { update(hasher, values); }, storage);
  }
  for (std::size_t i = 0; i < energy.maps().size(); ++i) update(hasher, binding.map(MapId(i)));
}

}  // namespace

std::string problem_signature(const Problem& problem, const Options& options, const Energy& energy,
                              const Binding& binding, const ProgramOptions& program) {
  Hasher hasher;
  update(hasher, problem, options);
  update(hasher, energy.as_written(), binding);
  hasher.update(to_string(program.precision))
      .update(to_string(program.solver))
      .update(program.preconditioner->name())
      .update(program.linear_solver->name());
  // What was stored before passes could be switched off is of programs with all of them.
  if (program.passes != PassOptions()) hasher.update(to_string(program.passes));
  if (program.is_deterministic) hasher.update("deterministic");
  if (program.eliminated.valid()) hasher.update(energy.field(program.eliminated).name);
  return "p" + hasher.finish().hex().substr(0, 12);
}

}  // namespace thallo
