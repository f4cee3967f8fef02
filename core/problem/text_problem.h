// A problem whose energy is a text beside its plugin, with a picture of the same name.
#pragma once

#include <filesystem>
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>

#include "core/base/option_kinds.h"
#include "core/language/load_energy.h"
#include "core/problem/problem.h"

namespace thallo {

class TextProblem : public Problem {
 public:
  explicit TextProblem(std::filesystem::path energy_file) : energy_file_(std::move(energy_file)) {}

  Expected<EnergyFile> energy(const Options& /*options*/) const override {
    return load_energy(energy_file_);
  }

 protected:
  const std::filesystem::path& energy_file() const { return energy_file_; }
  // Another text beside it.
  std::filesystem::path energy_file(const char* name) const {
    return energy_file_.parent_path() / name;
  }
  std::filesystem::path picture() const {
    return std::filesystem::path(energy_file_).replace_extension(".png");
  }

 private:
  std::filesystem::path energy_file_;
};

// Registers a problem of a plugin. Its text lies beside the plugin and has the problem's name.
// (THALLO_PLUGIN takes add_text_problem<Kind>; the layer of Registrar is above this one.)
template <class Kind, class Registrar>
Expected<void> add_text_problem(Registrar& registrar) {
  const std::string name = Kind(std::filesystem::path()).info().name;
  return registrar.template add<Problem>(
      name, std::make_unique<Kind>(registrar.folder() / (name + ".lua")));
}

// Sets params to the square roots of the weights that options say: such a param multiplies
// residuals, which are squared.
Expected<void> set_weights(
    Binding& binding, const Options& options,
    std::initializer_list<std::pair<const char*, const char*>> options_of_params);

}  // namespace thallo
