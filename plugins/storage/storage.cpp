// storage: how a stored J or JtJ lies in memory.
//
//   r.fit.J:storage("csr")
//   r.fit.J:set_sparse(true)      published: csr
//   r.fit:set_sparseJtJ()
//
//               J                                     JtJ
//   structured  values, in the order of the accesses  diagonals at fixed offsets, else all of it
//   blocks                                            a block for each two elements that meet
//   csr         rows of values and columns            the same, both triangles
//   dense       all columns                           all of it, shared by all parts
//
// Structured and blocks are multiplied by generated kernels, csr by cuSPARSE and dense by cuBLAS
// (on the host by Eigen).

#include <algorithm>
#include <array>
#include <memory>

#include <fmt/format.h>

#include "core/plugin/abi.h"
#include "core/plugin/registrar.h"
#include "core/schedule/arguments.h"
#include "core/schedule/storage_format.h"

namespace thallo {
namespace {

constexpr std::array AllFormats = {StorageFormat::Structured, StorageFormat::Blocks,
                                   StorageFormat::Csr, StorageFormat::Dense};

const StorageFormat* find_format(std::string_view label) {
  const auto found =
      std::ranges::find(AllFormats, label, [](StorageFormat f) { return to_string(f); });
  return found == AllFormats.end() ? nullptr : &*found;
}

Choice choice_of(StorageFormat format) { return {std::string(to_string(format)), {}}; }

StoredProduct product_of(const MemberName& site) {
  return site.member == "J" ? StoredProduct::J : StoredProduct::JtJ;
}

class StorageConstruct final : public Construct {
 public:
  std::string_view name() const override { return "storage"; }
  std::string_view doc() const override {
    return "How a stored J or JtJ lies in memory, and who multiplies it: as the energy's accesses "
           "have it, by generated kernels, or as a sparse or dense matrix, by libraries.";
  }
  Stage stage() const override { return Stage::Format; }
  EditorHint editor() const override { return EditorHint::OneOf; }

  std::vector<Site> sites(const Energy& /*energy*/, const Plan& plan) const override {
    std::vector<Site> sites;
    for (const Part& part : plan.parts) {
      if (stores_j(part.strategy))
        sites.push_back({SiteKind::Product, MemberName{part.name, "J"}.text()});
      if (stores_jtj(part.strategy))
        sites.push_back({SiteKind::Product, MemberName{part.name, "JtJ"}.text()});
    }
    return sites;
  }

  std::vector<Choice> choices(const Energy& /*energy*/, const Plan& plan,
                              const Site& site) const override {
    const MemberName name = parse_member_name(site.name);
    const Part& part = *find_part(plan, name.part);
    std::vector<Choice> result;
    for (const StorageFormat format : legal_formats(part, product_of(name)))
      result.push_back(choice_of(format));
    return result;
  }

  Expected<void> check(const Energy& energy, const Plan& plan, const Site& site,
                       const Choice& choice) const override {
    const MemberName name = parse_member_name(site.name);
    const std::string subject = fmt::format("storage of r.{}", site.name);
    const StorageFormat* format = find_format(choice.label);
    if (format == nullptr) return check_offered(choices(energy, plan, site), choice, subject);
    const auto legal = check_format(*find_part(plan, name.part), product_of(name), *format);
    if (legal) return {};
    std::vector<std::string> labels;
    for (const Choice& offered : choices(energy, plan, site)) labels.push_back(offered.label);
    return fail(Diagnostic{
        fmt::format("{} cannot be {}: {}", subject, choice.label, legal.error().what), {}, labels});
  }

  void apply(const Energy& /*energy*/, Plan& plan, const Site& site,
             const Choice& choice) const override {
    const MemberName name = parse_member_name(site.name);
    Part& part = *find_part(plan, name.part);
    const StorageFormat format = *find_format(choice.label);
    if (product_of(name) == StoredProduct::JtJ) {
      part.jtj_format = format;
      return;
    }
    part.j_format = format;
    // The default of what is made of it may be another now.
    part.jtj_format = legal_formats(part, StoredProduct::JtJ).front();
  }

  std::vector<Spelling> spellings() const override {
    using Kind = ScheduleName::Kind;
    return {{Kind::Product, "storage"},
            {Kind::Product, "set_sparse"},
            {Kind::Part, "set_sparseJ"},
            {Kind::Part, "set_sparseJtJ"}};
  }

  Expected<std::vector<Directive>> parse(
      const Energy& /*energy*/, const Plan& plan, PartNames& names,
      std::span<const ScheduleStatement> statements) const override {
    std::vector<Directive> directives;
    for (const ScheduleStatement& statement : statements) {
      const auto part = part_in(statement, plan, names);
      if (!part) return tl::unexpected(part.error());
      const auto product = stored_product(statement, **part);
      if (!product) return tl::unexpected(product.error());
      const auto format = format_of(statement);
      if (!format) return tl::unexpected(format.error());
      if (format->empty()) continue;
      directives.push_back({"storage",
                            {SiteKind::Product, MemberName{(*part)->name, *product}.text()},
                            {*format, {}}});
    }
    return directives;
  }

  std::string print(const Directive& directive) const override {
    return fmt::format("r.{}:storage(\"{}\")", directive.site.name, directive.choice.label);
  }

 private:
  static Expected<std::string> stored_product(const ScheduleStatement& statement,
                                              const Part& part) {
    constexpr std::string_view of_part = "set_sparse";
    const std::string product = statement.on.kind == ScheduleName::Kind::Part
                                    ? statement.method.substr(of_part.size())
                                    : statement.on.product;
    if (product != "J" && product != "JtJ") {
      return fault_in(statement, fmt::format("{} has no format", product), {"J", "JtJ"});
    }
    const auto stores = product == "J" ? stores_j : stores_jtj;
    if (stores(part.strategy)) return product;
    std::vector<std::string> strategies;
    for (const Strategy strategy :
         {Strategy::StoredJtJ, Strategy::StoredJ, Strategy::StoredJtJOfStoredJ}) {
      if (stores(strategy)) strategies.emplace_back(to_string(strategy));
    }
    return fault_in(statement,
                    fmt::format("the strategy {} stores no {}", to_string(part.strategy), product),
                    strategies);
  }

  // Empty for what leaves the default.
  static Expected<std::string> format_of(const ScheduleStatement& statement) {
    if (statement.method == "storage") return text_argument(statement, "\"csr\" for example");
    const auto is_sparse = flag_argument(statement, true);
    if (!is_sparse) return tl::unexpected(is_sparse.error());
    return *is_sparse ? std::string(to_string(StorageFormat::Csr)) : std::string();
  }
};

Expected<void> register_into(Registrar& registrar) {
  return registrar.add<Construct>("storage", std::make_unique<StorageConstruct>());
}

}  // namespace
}  // namespace thallo

THALLO_PLUGIN("storage", "1.0.0", "", thallo::register_into);
