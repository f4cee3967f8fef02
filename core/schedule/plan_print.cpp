#include "core/schedule/plan_print.h"

#include <iterator>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/schedule/construct.h"
#include "core/schedule/plan_names.h"

namespace thallo {
namespace {

std::string stored_text(std::string_view how, ScalarType type) {
  if (type == ScalarType::Working) return std::string(how);
  return fmt::format("{}, in {} precision", how, type == ScalarType::Half ? "half" : "single");
}

std::string members_text(const Energy& energy, const Part& part) {
  std::vector<std::string> names;
  for (const ResidualRef residual : part.residuals) {
    names.push_back(residual_name(energy, residual));
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

std::string part_text(const Energy& energy, const Plan& plan, const Part& part) {
  std::string text;
  const auto line = [&](std::string_view what, const std::string& value) {
    fmt::format_to(std::back_inserter(text), "  {:<12} {}\n", what, value);
  };
  fmt::format_to(std::back_inserter(text), "part {}\n", part.name);
  line("residuals", members_text(energy, part));
  std::vector<std::string> domains;
  for (const DomainId domain : part.order) domains.push_back(domain_name(energy, part, domain));
  line("over", fmt::format("({})", fmt::join(domains, ", ")));
  line("strategy", std::string(to_string(part.strategy)));
  if (stores_j(part.strategy)) line("J", stored_text(to_string(part.j_format), part.j_type));
  if (stores_jtj(part.strategy))
    line("JtJ", stored_text(to_string(part.jtj_format), part.jtj_type));
  if (stores_jp(part.strategy) && part.jp_type != ScalarType::Working)
    line("Jp", stored_text("stored", part.jp_type));
  line("JtF", to_string(energy, part.jtf));
  if (part.strategy == Strategy::JtJp) line("JtJp", to_string(energy, part.jtjp));
  if (stores_jp(part.strategy))
    line("Jt",
         multiplies_by_library(part) ? "multiplied by a library" : to_string(energy, part.jt));
  for (const PlannedExtension& extension : plan.extensions) {
    if (extension.part != part.name) continue;
    const std::string role =
        extension.role ? fmt::format("{}: ", to_string(*extension.role)) : std::string();
    line(extension.construct->name(), role + extension.args.text());
  }
  return text;
}

}  // namespace

std::string to_string(const Energy& energy, const Plan& plan) {
  std::string text;
  for (const Part& part : plan.parts) text += part_text(energy, plan, part);
  for (std::size_t i = 0; i < plan.intermediates.size(); ++i) {
    const Intermediate& intermediate = energy.intermediates()[i];
    const Materialization stored = plan.intermediates[i];
    fmt::format_to(
        std::back_inserter(text), "intermediate {} over {}: values {}, gradient {}\n",
        energy.field(intermediate.field).name, domains_text(energy, intermediate.domains),
        stored.value ? "stored" : "recomputed", stored.gradient ? "stored" : "recomputed");
  }
  for (const PlannedSum& sum : plan.sums) {
    fmt::format_to(std::back_inserter(text), "sum {}: {}\n", sum.name,
                   sum.is_parallel ? "parallel, its values stored" : "serial");
  }
  if (plan.vector_order != VectorOrder::Plain || plan.vector_type != ScalarType::Working) {
    fmt::format_to(std::back_inserter(text), "vectors: {}\n",
                   stored_text(to_string(plan.vector_order), plan.vector_type));
  }
  return text;
}

}  // namespace thallo
