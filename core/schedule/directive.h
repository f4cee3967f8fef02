#pragma once

// What a schedule is made of: a construct's choice at a site of an energy.

#include <string>
#include <string_view>

#include "core/base/properties.h"

namespace thallo {

// In which order the decisions of a schedule are taken: what a construct offers may depend on the
// decisions of earlier stages.
enum class Stage { Partition, Intermediates, Strategy, Format, Order, LowLevel };
std::string_view to_string(Stage stage);

// What can be scheduled.
enum class SiteKind {
  Residual,       // "reg[2]": the second scalar residual of the group reg
  Part,           // "reg"
  Product,        // "reg.JtF": JtF, JtJp, Jt, Jp, J or JtJ of a part
  Intermediate,   // "pose"
  Sum,            // "conv"
  Role,           // "reg.fill_jtj": what a kernel of a part does
  SolverVectors,  // "vectors": those of the linear solver
};
std::string_view to_string(SiteKind kind);

struct Site {
  SiteKind kind = SiteKind::Part;
  std::string name;

  friend auto operator<=>(const Site&, const Site&) = default;
};

// The name of a site within a part: "reg.JtF" of a product, "reg.fill_jtj" of a role.
struct MemberName {
  std::string part;
  std::string member;

  std::string text() const { return part + "." + member; }
};
MemberName parse_member_name(std::string_view text);
// There is one such site.
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
