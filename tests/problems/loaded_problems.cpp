#include "tests/problems/loaded_problems.h"

#include <memory>
#include <stdexcept>
#include <utility>

#include "core/energy/evaluate/evaluator.h"
#include "tests/support/built_plugins.h"

namespace thallo::test {

const ProblemRegistry& loaded_problems() {
  static const auto registry = [] {
    auto problems = std::make_unique<ProblemRegistry>("problem");
    RegistrySet registries;
    registries.offer(*problems);
    load_built_plugins(registries, "problems");
    return problems;
  }();
  return *registry;
}

Expected<Made> make_instance(std::string_view name, const Options& options) {
  const auto problem = loaded_problems().lookup(name);
  if (!problem) return fail(problem.error());
  const auto complete = complete_options((*problem)->options(), options);
  if (!complete) return fail(complete.error());
  auto file = (*problem)->energy(*complete);
  if (!file) return fail(file.error());
  auto instance = (*problem)->instantiate(file->energy, *complete);
  if (!instance) return fail(instance.error());
  if (auto valid = instance->binding.validate(file->energy); !valid) {
    return fail(valid.error());
  }
  return Made{*problem, std::move(file->energy), *std::move(instance)};
}

Made make(std::string_view problem, const Options& options) {
  auto made = make_instance(problem, options);
  if (!made) throw std::runtime_error(made.error().message());
  return *std::move(made);
}

std::string error_of(std::string_view problem, const Options& options) {
  const auto made = make_instance(problem, options);
  return made ? "no error" : made.error().message();
}

double cost_of(const Made& made) {
  return EnergyEvaluator(made.energy, made.instance.binding).cost();
}

std::vector<double> field_of(const Made& made, std::string_view name) {
  return made.instance.binding.field(made.energy.find_field(name)).to_doubles();
}

}  // namespace thallo::test
