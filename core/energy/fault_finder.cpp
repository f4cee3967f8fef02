#include "core/energy/fault_finder.h"

namespace thallo {

std::string FaultFinder::dim_list(const std::vector<DimId>& dims) const {
  std::string text;
  for (const DimId dim : dims) text += (text.empty() ? "" : ", ") + name(dim);
  return "{" + text + "}";
}

std::string FaultFinder::domain_list(const std::vector<DomainId>& domains) const {
  std::string text;
  for (const DomainId domain : domains) text += (text.empty() ? "" : ", ") + name(domain);
  return "(" + text + ")";
}

}  // namespace thallo
