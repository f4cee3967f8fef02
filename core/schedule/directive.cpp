#include "core/schedule/directive.h"

#include "core/base/error.h"

namespace thallo {

Site vectors_site() { return {SiteKind::SolverVectors, "vectors"}; }

MemberName parse_member_name(std::string_view text) {
  const std::size_t dot = text.rfind('.');
  THALLO_ASSERT(dot != std::string_view::npos, "'{}' is no site within a part", text);
  return {std::string(text.substr(0, dot)), std::string(text.substr(dot + 1))};
}

}  // namespace thallo
