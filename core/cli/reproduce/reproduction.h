// Makes tables and figures of a paper again, case by case, as far as a budget allows.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/cli/reproduce/kept_cases.h"
#include "core/cli/reproduce/methods.h"
#include "core/cli/reproduce/quantity_value.h"

namespace thallo::cli {

struct ReproducedCase {
  const PaperCase* one = nullptr;
  std::optional<MeasuredCase> measured;
  std::string why_not;  // where nothing was measured
  // What could not be measured of it, "NAME: reason", and the other builds or devices that made it.
  std::vector<std::string> failures = {};
  std::vector<MadeBy> others = {};
  bool is_left = false;  // true if it was not begun, or has not ended, on this device by this build
};

struct Reproduction {
  const Paper* paper = nullptr;
  const PaperItem* item = nullptr;
  bool is_tiny = false;
  std::string device;  // on which ours were measured; "predicted" without one
  std::vector<ReproducedCase> cases;
  int num_left = 0;    // not begun, or not ended, because the budget was used up
  int num_failed = 0;  // begun, but could not be run, or not all of it
};

// What can be made of an item: everything, part of it, or nothing, and why.
struct ItemState {
  int num_inputs = 0;                // cases that can be run if their files are there
  std::vector<std::string> missing;  // files below THALLO_DATA_DIR, each once
  int num_without_data = 0;          // cases that lack one of them
  bool is_makeable() const { return num_inputs > num_without_data; }
  std::string text;  // "can be made: 5 of 7 cases; lacks bal/x.txt"
};
ItemState state_of(const PaperItem& item, bool is_tiny);

class Reproducer {
 public:
  Reproducer(ReproduceRun run, KeptCases kept, std::optional<double> budget_seconds)
      : run_(std::move(run)), kept_(std::move(kept)), budget_(budget_seconds) {}

  // Throws UserError if the item cannot be made at all, or if there is no such device. What goes
  // wrong with a case is a part of the result.
  Reproduction make(const Paper& paper, const PaperItem& item);

 private:
  std::string device_of(const Method& method);
  ReproducedCase make_case(const Paper& paper, const PaperItem& item, const PaperCase& one,
                           Reproduction& made);

  ReproduceRun run_;
  KeptCases kept_;
  TimeBudget budget_;
  std::string device_;  // once it was opened
};

}  // namespace thallo::cli
