#include "core/cli/reproduce/case_key.h"

#include <vector>

#include <nlohmann/json.hpp>

namespace thallo::cli {
namespace {

using Json = nlohmann::ordered_json;

Json input_json(const PaperCase& one, const CaseInput& input) {
  std::vector<std::string> settings, files;
  for (const auto& [name, value] : input.settings) settings.push_back(name + "=" + value);
  for (const auto& [option, name] : input.files) files.push_back(option + "=" + name);
  return {{"problem", one.problem},
          {"options", input.options.text()},
          {"files", files},
          {"settings", settings}};
}

}  // namespace

std::string case_key(const Paper& paper, const PaperItem& item, const PaperCase& one,
                     const CaseInput& input) {
  std::vector<std::string> quantities;
  for (const Quantity& quantity : item.quantities)
    quantities.push_back(quantity.passes ? quantity.key + ": " + to_string(*quantity.passes)
                                         : quantity.key);
  return Json({{"paper", paper.name},
               {"item", item.number},
               {"case", one.name},
               {"method", item.method},
               {"quantities", quantities},
               {"schedule", one.schedule},
               {"samples", input.samples},
               {"input", input_json(one, input)}})
      .dump();
}

std::string search_key(const SearchOfCase& search, const PaperCase& one, const CaseInput& input) {
  return Json({{"method", search.method},
               {"search", search.search},
               {"search_options", search.options.text()},
               {"samples", search.samples},
               {"device_spec", search.device_spec},
               {"input", input_json(one, input)}})
      .dump();
}

}  // namespace thallo::cli
