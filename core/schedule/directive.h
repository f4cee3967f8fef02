#pragma once

// A schedule is a list of directives; each is a construct's choice at a site of an energy.

#include <string>
#include <string_view>

#include "core/base/enum_names.h"
#include "core/base/properties.h"

namespace thallo {

// The stages of a schedule's decisions, in the order in which they are taken: what a construct
// offers may depend on the decisions of earlier stages.
enum class Stage { Partition, Intermediates, Strategy, Format, Order, LowLevel };
template <>
inline constexpr EnumNames enum_names<Stage> = {
    "stage", {"partition", "intermediates", "strategy", "format", "order", "low-level"}};

// The kinds of things that can be scheduled, with the name of such a site.
enum class SiteKind {
  Residual,       // "reg[2]": the second scalar residual of the group reg
  Part,           // "reg"
  Product,        // "reg.JtF": JtF, JtJp, Jt, Jp, J or JtJ of a part
  Intermediate,   // "pose"
  Sum,            // "conv"
  Role,           // "reg.fill_jtj": what a kernel of a part does (roles.h)
  SolverVectors,  // "vectors": all vectors of the linear solver at once
};
template <>
inline constexpr EnumNames enum_names<SiteKind> = {
    "kind of sites",
    {"residual", "part", "product", "intermediate", "Sum", "role", "solver vectors"}};

struct Site {
  SiteKind kind = SiteKind::Part;
  std::string name;

  friend auto operator<=>(const Site&, const Site&) = default;
};

// The name of a site within a part: "reg.JtF" for a product, "reg.fill_jtj" for a role.
struct MemberName {
  std::string part;
  std::string member;

  std::string text() const { return part + "." + member; }
};
MemberName parse_member_name(std::string_view text);
// Returns the only site of the kind SolverVectors.
Site vectors_site();

// One alternative at a site. The label is unique among the site's choices and is what people see.
struct Choice {
  std::string label;
  Properties args;

  friend bool operator==(const Choice&, const Choice&) = default;
};

struct Directive {
  std::string construct;
  Site site;
  Choice choice;

  friend bool operator==(const Directive&, const Directive&) = default;
};

}  // namespace thallo
