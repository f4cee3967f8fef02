#include "core/schedule/directive.h"

#include "core/base/error.h"

namespace thallo {

std::string_view to_string(Stage stage) {
  switch (stage) {
    case Stage::Partition: return "partition";
    case Stage::Intermediates: return "intermediates";
    case Stage::Strategy: return "strategy";
    case Stage::Format: return "format";
    case Stage::Order: return "order";
    case Stage::LowLevel: return "low-level";
  }
  THALLO_UNREACHABLE();
}

std::string_view to_string(SiteKind kind) {
  switch (kind) {
    case SiteKind::Residual: return "residual";
    case SiteKind::Part: return "part";
    case SiteKind::Product: return "product";
    case SiteKind::Intermediate: return "intermediate";
    case SiteKind::Sum: return "Sum";
    case SiteKind::Role: return "role";
    case SiteKind::SolverVectors: return "solver vectors";
  }
  THALLO_UNREACHABLE();
}

Site vectors_site() { return {SiteKind::SolverVectors, "vectors"}; }

MemberName parse_member_name(std::string_view text) {
  const std::size_t dot = text.rfind('.');
  THALLO_ASSERT(dot != std::string_view::npos, "'{}' is no site within a part", text);
  return {std::string(text.substr(0, dot)), std::string(text.substr(dot + 1))};
}

}  // namespace thallo
