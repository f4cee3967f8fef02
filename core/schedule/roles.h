#pragma once

// The roles of a part: the things that separate kernels compute for it, under the names that
// schedule text uses. The strategy and the storage formats of a part determine which roles it has.

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace thallo {

class Energy;
struct Part;

// ROW(Name, text, doc)
#define THALLO_FOR_EACH_ROLE(ROW)                              \
  ROW(Cost, "cost", "the part's share of the cost")            \
  ROW(JtF, "jtf", "the gradient, d and preconditioner blocks") \
  ROW(FillJ, "fill_j", "stores J")                             \
  ROW(FillJtJ, "fill_jtj", "stores JtJ")                       \
  ROW(Jp, "jp", "stores J p")                                  \
  ROW(Jt, "jt", "the product of Jt with the stored Jp")        \
  ROW(JtJp, "jtjp", "the product of JtJ with p, where no Jp is stored")

enum class Role {
#define THALLO_ROLE_ENUMERATOR(name, text, doc) name,
  THALLO_FOR_EACH_ROLE(THALLO_ROLE_ENUMERATOR)
#undef THALLO_ROLE_ENUMERATOR
};

inline constexpr std::array AllRoles = {
#define THALLO_ROLE_VALUE(name, text, doc) Role::name,
    THALLO_FOR_EACH_ROLE(THALLO_ROLE_VALUE)
#undef THALLO_ROLE_VALUE
};

// "fill_jtj"
constexpr std::string_view to_string(Role role) {
  constexpr std::array<std::string_view, AllRoles.size()> Names = {
#define THALLO_ROLE_NAME(name, text, doc) text,
      THALLO_FOR_EACH_ROLE(THALLO_ROLE_NAME)
#undef THALLO_ROLE_NAME
  };
  return Names[static_cast<std::size_t>(role)];
}
std::optional<Role> parse_role(std::string_view text);

std::vector<Role> roles_of(const Energy& energy, const Part& part);
// Returns the roles that add to elements which several points contribute to.
std::vector<Role> scattering_roles(const Energy& energy, const Part& part);

}  // namespace thallo
