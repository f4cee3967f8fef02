// A problem whose energy is a text beside its plugin, with a picture of the same name.
#pragma once

#include <filesystem>
#include <initializer_list>
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

// Sets params to the square roots of the weights that options say: such a param multiplies
// residuals, which are squared.
Expected<void> set_weights(
    Binding& binding, const Options& options,
    std::initializer_list<std::pair<const char*, const char*>> options_of_params);

}  // namespace thallo
