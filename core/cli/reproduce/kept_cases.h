// Keeps what was measured of cases in a file, a line of JSON each, so that a reproduction that was
// ended goes on from there. A case is written as soon as it is measured; a last line that was cut
// off is dropped. What a line is of includes the input, the device and the build, so it is used
// only where the same would be measured again.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "core/cli/reproduce/methods.h"

namespace thallo::cli {

class KeptCases {
 public:
  // Without a path, nothing is kept. Throws UserError if the file is no such file.
  explicit KeptCases(std::optional<std::filesystem::path> path);

  const MeasuredCase* find(const std::string& key) const;
  // Throws UserError if the file cannot be written.
  void keep(const std::string& key, const MeasuredCase& measured);

 private:
  std::optional<std::filesystem::path> path_;
  std::map<std::string, MeasuredCase> kept_;
};

// Returns the key of a case, a text.
std::string case_key(const Paper& paper, const PaperItem& item, const PaperCase& one,
                     const CaseInput& input, const std::string& device);

}  // namespace thallo::cli
