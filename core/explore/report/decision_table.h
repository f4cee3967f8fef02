#pragma once

// What many schedules of a problem decide, each different decision once, so that what 10^5
// schedules choose can be compared.

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/explore/space/decision.h"
#include "core/explore/space/explored_problem.h"
#include "core/explore/store/store_records.h"

namespace thallo {

// Decisions are numbers of DecisionTable::different.
struct DecisionTable {
  struct Schedule {
    std::vector<std::uint32_t> said;  // what it decides differently from the default
    // Of site_sets, the sites that it has; absent where that is not known.
    std::optional<std::size_t> sites = {};
    // What holds of it wherever its decisions are made, named like a decision: the number of parts,
    // and the strategy of each residual, whichever part has it. Empty where that is not known.
    std::vector<std::uint32_t> facts = {};
    // False if it cannot be read here, as it says something of a construct that is not loaded.
    bool is_known = true;
  };

  std::vector<Decision> different;
  // For each set of sites that some schedule has, the default at each of them.
  std::vector<std::vector<std::uint32_t>> site_sets;
  std::vector<Schedule> schedules;

  // Adds a decision that is not there.
  std::uint32_t number_of(const Decision& decision);

 private:
  std::map<Decision, std::uint32_t> numbers_;
};

// Makes tables for schedules of a problem and keeps what it learnt of them, so that a schedule is
// read once, however often a table is made.
class DecisionReader {
 public:
  // The problem must outlive the reader.
  explicit DecisionReader(const ExploredProblem& problem);

  // Entry i is of schedule i.
  DecisionTable read(const std::vector<const ScheduleRecord*>& schedules);

 private:
  using Numbers = std::vector<std::uint32_t>;

  // Absent if the text cannot be read here.
  const std::optional<Numbers>& said_by(const ScheduleRecord& schedule);
  // What schedules have in common that decide the same before the last stage.
  struct Common {
    std::optional<std::size_t> sites;
    Numbers facts;
  };
  const Common& common_of(const ScheduleRecord& schedule, const Numbers& said);
  // The part of the schedule that makes sites of others; absent if there is no such schedule here.
  std::optional<Schedule> deciding(const std::string& text) const;
  // The defaults at all sites of the schedule; absent if it is not legal here.
  std::optional<Numbers> defaults_of(const Schedule& schedule);
  Numbers facts_of(const Schedule& schedule);

  const ExploredProblem& problem_;
  std::set<std::string, std::less<>>
      low_level_;        // constructs, whose decisions make no sites of others
  DecisionTable table_;  // without schedules
  std::map<std::string, std::optional<Numbers>> said_;  // by hash
  std::map<Numbers, Common> common_;                    // by what is said before the last stage
};

}  // namespace thallo
