// What `thallo explore` shows of a space: its counts, and schedules with their numbers.
#pragma once

#include <string>
#include <vector>

#include "core/explore/full_count.h"
#include "core/explore/indexed_space.h"

namespace thallo::cli {

// Which space it is, for the head of every output.
struct SpaceTitle {
  std::string problem;
  std::string space;  // "full", "published" or the path of a profile
  std::string id;
};

// Larger spaces are not searched for equal schedules.
inline const BigCount MaxCompared = 100'000;

void print_count(const SpaceTitle& title, const IndexedSpace& space, bool as_json);
// Of the space of all schedules, which may be no more than an estimate.
void print_count(const SpaceTitle& title, const FullCount& count, bool as_json);

struct PrintedSchedule {
  std::string name;  // "s3f09ab771c24:12"; "seed 7" in a space without numbers
  std::string text;
};
void print_schedules(const SpaceTitle& title, const std::vector<PrintedSchedule>& schedules,
                     bool as_json);

}  // namespace thallo::cli
