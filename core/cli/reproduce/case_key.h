// Texts that say of what something is kept: a JSON object with all that a measurement depends on,
// but for the device and the build. Files are named as the paper's file does, so that a folder of
// data may lie anywhere.
#pragma once

#include <cstdint>
#include <string>

#include "core/cli/reproduce/paper.h"

namespace thallo::cli {

std::string case_key(const Paper& paper, const PaperItem& item, const PaperCase& one,
                     const CaseInput& input);
// Of a search on the case's problem, whichever item asks for it.
struct SearchOfCase {
  std::string method;
  std::string search;
  Options options;  // all of the search
  std::int64_t samples = 0;
  std::string device_spec;
};
std::string search_key(const SearchOfCase& search, const PaperCase& one, const CaseInput& input);

}  // namespace thallo::cli
