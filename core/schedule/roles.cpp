#include "core/schedule/roles.h"

#include <algorithm>
#include <functional>

#include "core/base/error.h"
#include "core/schedule/plan.h"
#include "core/schedule/storage_format.h"

namespace thallo {
namespace {

// True if a library forms the part's JtJ, as the product of a dense J with itself.
bool is_gram(const Part& part) {
  return stores_jtj(part.strategy) && stores_j(part.strategy) &&
         part.j_format == StorageFormat::Dense;
}

}  // namespace

std::optional<Role> parse_role(std::string_view text) {
  const auto found = std::ranges::find(AllRoles, text, [](Role role) { return to_string(role); });
  return found == AllRoles.end() ? std::nullopt : std::optional(*found);
}

std::vector<Role> roles_of(const Energy& energy, const Part& part) {
  std::vector<Role> roles = {Role::Cost, Role::JtF};
  if (stores_j(part.strategy)) roles.push_back(Role::FillJ);
  if (stores_jtj(part.strategy) && !is_gram(part)) roles.push_back(Role::FillJtJ);
  if (multiplies_by_library(part)) return roles;
  if (stores_jp(part.strategy)) {
    roles.push_back(Role::Jp);
    roles.push_back(Role::Jt);
  } else if (!stores_jtj(part.strategy) || jtj_form(energy, part) != JtJForm::Matrix) {
    roles.push_back(Role::JtJp);
  }
  return roles;
}

std::vector<Role> scattering_roles(const Energy& energy, const Part& part) {
  const auto scatters = [&](Role role) {
    switch (role) {
      case Role::Cost:
      case Role::Jp: return false;
      case Role::JtF: return part.jtf.scatters();
      case Role::Jt: return part.jt.scatters();
      case Role::FillJ: return part.j_format == StorageFormat::Dense;
      case Role::FillJtJ:
      case Role::JtJp:
        return stores_jtj(part.strategy) ? jtj_form(energy, part) != JtJForm::Diagonals
                                         : part.jtjp.scatters();
    }
    THALLO_UNREACHABLE();
  };
  std::vector<Role> roles = roles_of(energy, part);
  std::erase_if(roles, std::not_fn(scatters));
  return roles;
}

}  // namespace thallo
