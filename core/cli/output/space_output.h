// Prints a space for `thallo explore`: its counts, and schedules with their numbers.
#pragma once

#include <string>
#include <vector>

#include "core/explore/space/full_count.h"
#include "core/search/indexed_space.h"

namespace thallo::cli {

// Identifies the space at the head of every output.
struct SpaceTitle {
  std::string problem;
  std::string space;  // "full", "published" or the path of a profile
  std::string id;
  std::vector<std::string> pins = {};  // as a schedule writes them
};

void print_count(const SpaceTitle& title, const IndexedSpace& space, bool as_json);
// Prints the count of all schedules, which may be an estimate.
void print_count(const SpaceTitle& title, const FullCount& count, bool as_json);

struct PrintedSchedule {
  std::string name;  // "s3f09ab771c24:12"; "seed 7" in a space without numbers
  std::string text;
};
void print_schedules(const SpaceTitle& title, const std::vector<PrintedSchedule>& schedules,
                     bool as_json);

// Prints how many sites are pinned, and as what, one a line. Prints nothing if none is.
void print_pins(const std::vector<std::string>& texts);

}  // namespace thallo::cli
