#include "core/schedule/roles.h"

#include "core/schedule/storage_format.h"

namespace thallo {
namespace {

// Does a library form the part's JtJ, as the product of a dense J with itself?
bool is_gram(const Part& part) {
  return stores_jtj(part.strategy) && stores_j(part.strategy) &&
         part.j_format == StorageFormat::Dense;
}

}  // namespace

std::vector<std::string> roles_of(const Energy& energy, const Part& part) {
  std::vector<std::string> roles = {"cost", "jtf"};
  if (stores_j(part.strategy)) roles.emplace_back("fill_j");
  if (stores_jtj(part.strategy) && !is_gram(part)) roles.emplace_back("fill_jtj");
  if (multiplies_by_library(part)) return roles;
  if (stores_jp(part.strategy)) {
    roles.emplace_back("jp");
    roles.emplace_back("jt");
  } else if (!stores_jtj(part.strategy) || jtj_form(energy, part) != JtJForm::Matrix) {
    roles.emplace_back("jtjp");
  }
  return roles;
}

std::vector<std::string> scattering_roles(const Energy& energy, const Part& part) {
  std::vector<std::string> roles = roles_of(energy, part);
  std::erase_if(roles, [&](const std::string& role) {
    if (role == "jtf") return part.jtf == ComputeAt::Output;
    if (role == "jt") return part.jt == ComputeAt::Output;
    if (role == "fill_j") return part.j_format != StorageFormat::Dense;
    if (role != "fill_jtj" && role != "jtjp") return true;
    return stores_jtj(part.strategy) ? jtj_form(energy, part) == JtJForm::Diagonals
                                     : part.jtjp == ComputeAt::Output;
  });
  return roles;
}

}  // namespace thallo
