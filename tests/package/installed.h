// Thallo installed from the build tree into a folder, and what somebody does with it there.
// Whatever fails is a failure of the test, with what the program said.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace thallo::test {

class InstalledThallo {
 public:
  explicit InstalledThallo(std::filesystem::path prefix);
  // The one that all tests use that install nothing beside it.
  static const InstalledThallo& shared();

  // `thallo ARGUMENTS`; returns its output.
  std::string run(std::vector<std::string> arguments) const;
  // Configures and builds a project that finds the package, warnings being errors; returns the
  // build folder.
  std::string build(const std::filesystem::path& source) const;
  // `cmake ARGUMENTS`.
  static std::string run_cmake(std::vector<std::string> arguments);

  const std::string& prefix() const { return prefix_; }

 private:
  std::string prefix_;
};

}  // namespace thallo::test
