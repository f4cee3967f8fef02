// Keeps what was measured in a file, a line of JSON each, so that a reproduction that was ended
// goes on from there. A line is written as soon as something is measured; a last line that was cut
// off is dropped. What a line is of includes the input; it also says on which device and with which
// build it was made. What another device or build made is there as well, to be shown where nothing
// newer is.
//
// A line is also written when something is begun. So something that ended the program twice is
// known, and is not begun a third time.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/cli/reproduce/measured_case.h"

namespace thallo::cli {

// Where something was measured, and by what.
struct MadeBy {
  std::string device;
  std::string core;  // core_build_id()

  friend bool operator==(const MadeBy&, const MadeBy&) = default;
};

struct KeptCase {
  MadeBy by;
  MeasuredCase measured;
  std::string failure;  // why it could not be run; empty if it was
  int num_begun = 0;    // how often it was begun since it last ended in any way
};

class KeptCases {
 public:
  // Without a path, nothing outlives this object. Throws UserError if the file is no such file.
  explicit KeptCases(std::optional<std::filesystem::path> path);

  // Returns what is kept of `what`, a JSON text, made by the same; null if nothing is.
  const KeptCase* find(const std::string& what, const MadeBy& by) const;
  // Returns the last that was measured elsewhere or by another build; null if nothing was.
  const KeptCase* find_other(const std::string& what, const MadeBy& by) const;

  // These throw UserError if the file cannot be written.
  void begin(const std::string& what, const MadeBy& by);
  // It ended without a result that is to be kept.
  void leave(const std::string& what, const MadeBy& by);
  void keep(const std::string& what, const MadeBy& by, const MeasuredCase& measured);
  void fail(const std::string& what, const MadeBy& by, const std::string& failure);

 private:
  KeptCase& entry(const std::string& what, const MadeBy& by);
  bool read(const std::string& line);
  void write(const std::string& line) const;

  std::optional<std::filesystem::path> path_;
  std::map<std::string, std::vector<KeptCase>> kept_;  // by what; of each maker one
};

}  // namespace thallo::cli
