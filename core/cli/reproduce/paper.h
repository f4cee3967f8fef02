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
//   quantities = [
//     {key = "auto", title = "auto, ms", format = "{:.2f}"},
//     {key = "gain", title = "gain", ratio = ["opt", "auto"]},   # computed, of both sides
//   ]
//     [[item.case]]
//     name = "BundleFusion"
//     problem = "bundle_fusion"
//     published = {opt = 110.39, auto = 2.96}      # only what the paper prints
//     options = {frames = 11}                      # of the problem
//     files = {file = "bal/ladybug.txt.bz2"}       # options that are files below THALLO_DATA_DIR
//     set = {nIterations = 3}                      # of the solver
//     samples = 400                                # of a distribution: schedules drawn at random
//     tiny = {options = {frames = 3}, set = {}}    # in place of options, files and set
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

namespace thallo::cli {

struct Quantity {
  std::string key;
  std::string title;
  std::string format = "{:.2f}";  // fmt format of its numbers
  // The keys of two quantities, whose quotient it is; empty if it is none.
  std::pair<std::string, std::string> ratio;
};

struct CaseInput {
  Options options;                                         // of the problem
  std::vector<std::pair<std::string, std::string>> files;  // option, file below THALLO_DATA_DIR
  std::int64_t samples = 0;  // of a distribution; 0: all schedules of the space
  std::vector<std::pair<std::string, std::string>> settings;  // of the solver, as text
};

struct PaperCase {
  std::string name;
  std::string problem;                                      // empty if it cannot be made here
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
