#include "core/language/opt_dialect.h"

#include <fmt/format.h>

#include "core/language/call.h"

namespace thallo::language {
namespace {

struct OptName {
  std::string_view name;
  std::string_view instead;
};
constexpr std::string_view Types =
    "Thallo writes float, float2, float3 ..., in one table of inputs, Inputs { X = Unknown(float2, "
    "{W, H}, 0) }";
constexpr OptName OptNames[] = {
    {"Energy",
     "Thallo names the residuals, Residuals { fit = X(x, y) - A(x, y) }, and reads fields at loop "
     "variables, local x, y = W(), H()"},
    {"Exclude", "Thallo writes X:Exclude(condition), with the unknown X whose entries stay"},
    {"Graph",
     "Thallo has a sparse map for each vertex of an edge, Inputs { v0 = Sparse({E}, {N}, 2) }, and "
     "reads X(v0(e)) with local e = E()"},
    {"ProblemSpec",
     "a text of Thallo is Inputs { ... } and Residuals { ... }, without a specification"},
    {"opt_double", Types},
    {"opt_float", Types},
};

[[noreturn]] void stop(std::string_view found, std::string_view instead) {
  throw Stop{fmt::format("{} is of Opt, an older dialect: {} (docs/migrating.md translates a text)",
                         found, instead)};
}

}  // namespace

void stop_at_opt_name(std::string_view name) {
  // opt_float3 and opt_float are one type with channels.
  const std::string_view plain =
      name.starts_with("opt_") ? name.substr(0, name.find_last_not_of("0123456789") + 1) : name;
  for (const OptName& known : OptNames)
    if (plain == known.name) stop(fmt::format("'{}'", name), known.instead);
}

void stop_at_opt_declaration(std::string_view function, std::string_view input) {
  stop(fmt::format("{}(\"{}\", ...)", function, input),
       fmt::format("Thallo declares all inputs in one table, Inputs {{ {} = {}({}) }}, and reads "
                   "them at loop variables, local x, y = W(), H()",
                   input, function, function == "Param" ? "float, 2" : "float2, {W, H}, 0"));
}

}  // namespace thallo::language
