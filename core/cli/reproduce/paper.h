// The tables and figures of a paper, as assets/papers/NAME.toml describe them:
//
//   title = "Thallo: ..."
//   hardware = "an NVIDIA TITAN X (Pascal)"        # what the printed numbers are of
//
//   [[item]]
//   number = "Table 1"
//   title = "Times of solvers by schedule"
//   method = "iteration_time"                      # methods.h; without one, say why_not
//   differs = "Ours is the time of an iteration."  # from what the paper did
//   device_spec = "h200"                           # of a method that predicts: for which device
//   quantities = [
//     {key = "auto", title = "auto, ms", format = "{:.2f}"},
//     {key = "gain", title = "gain", ratio = ["opt", "auto"]},   # computed, of both sides
//     {key = "plain", title = "none", passes = "none"},          # with these passes over kernels
//     {key = "states", title = "states", search = "beam", figure = "states priced",
//      options = {width = 8}},                     # what that search reports of itself
//   ]
//     [[item.case]]
//     name = "BundleFusion"
//     problem = "bundle_fusion"
//     published = {opt = 110.39, auto = 2.96}      # only what the paper prints
//     options = {frames = 11}                      # of the problem
//     files = {file = "bal/ladybug.txt.bz2"}       # options that are files below THALLO_DATA_DIR
//     set = {nIterations = 3}                      # of the solver
//     samples = 400                                # schedules that are drawn at random
//     search = {width = 8}                         # options of searches, in place of a quantity's
//     seconds = 60                                 # that a run takes before it is ended [600]
//     tiny = {options = {frames = 3}, set = {}}    # in place of all these
//     [[item.case]]
//     name = "geometric mean"
//     mean = true                                  # of what was measured of the other cases
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/options.h"
#include "core/kernel/passes.h"

namespace thallo::cli {

struct Quantity {
  std::string key;
  std::string title;              // empty if only quotients are made of it
  std::string format = "{:.2f}";  // fmt format of its numbers
  // The keys of two quantities, whose quotient it is; empty if it is none.
  std::pair<std::string, std::string> ratio;
  std::optional<PassOptions> passes;
  // Of a quantity that a search finds: the search, what of it is wanted, and its options.
  std::string search;
  std::string figure;
  Options options;

  bool is_shown() const { return !title.empty(); }
};

struct CaseInput {
  Options options;                                         // of the problem
  std::vector<std::pair<std::string, std::string>> files;  // option, file below THALLO_DATA_DIR
  std::int64_t samples = 0;  // schedules to draw at random; 0: all of the space
  Options search;            // in place of the options of a quantity
  double seconds = 600;      // the longest run of something that has no end of its own
  std::vector<std::pair<std::string, std::string>> settings;  // of the solver, as text
};

struct PaperCase {
  std::string name;
  std::string problem;   // empty if it cannot be made here
  bool is_mean = false;  // true if it is the geometric mean of the other cases
  std::string why_not = "it is none of the problems here";  // where there is no problem
  std::string schedule;             // a name, or the text of one; empty: the quantities' keys
  double unknowns_per_element = 1;  // of a pixel, a vertex
  CaseInput input;
  std::optional<CaseInput> tiny;
  std::map<std::string, double> published;  // by the keys of quantities
};

struct PaperItem {
  std::string number;  // "Table 1", "Figure 12"
  std::string title;
  std::string method;   // empty if it cannot be made here
  std::string why_not;  // one sentence, where it cannot be made or only in part
  std::string differs;
  std::string device_spec;        // for which device it predicts; empty if it does not
  std::string published_numbers;  // where the printed numbers come from, or that there are none
  std::vector<Quantity> quantities;
  std::vector<PaperCase> cases;
};

struct Paper {
  std::string name;  // of its file: "thallo"
  std::string title;
  std::string hardware;
  std::vector<PaperItem> items;  // in the order of the paper

  // Finds "Table 5" by "table 5", "table5" or "Table 5". Throws UserError with the legal ones.
  const PaperItem& item(std::string_view number) const;
};

// Reads a file. Throws UserError with the line of a fault.
Paper read_paper(const std::filesystem::path& path);
// Returns the papers that are shipped, sorted by name. Throws UserError if there are none.
std::vector<Paper> shipped_papers();

}  // namespace thallo::cli
