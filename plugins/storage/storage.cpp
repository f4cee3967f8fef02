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
#include <map>
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

// No format: the default, which set_sparse(false) gives, until it is known.
constexpr std::string_view NotSparse = "not sparse";

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
    const std::vector<Choice> offered = choices(energy, plan, site);
    if (format == nullptr) return check_offered(*this, site, offered, choice, subject);
    const auto legal = check_format(*find_part(plan, name.part), product_of(name), *format);
    if (legal) return {};
    return fail(
        Diagnostic{fmt::format("{} cannot be {}: {}", subject, choice.label, legal.error().what),
                   {},
                   written(*this, site, offered)});
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
    std::map<std::string, StorageFormat> j_formats;  // of parts, as said last
    for (const ScheduleStatement& statement : statements) {
      const auto part = part_in(statement, plan, names);
      if (!part) return fail(part.error());
      const auto format = format_of(statement);
      if (!format) return fail(format.error());
      const auto product = product_in(statement);
      if (!product) return fail(product.error());
      const auto stores = *product == "J" ? stores_j : stores_jtj;
      if (!stores((*part)->strategy)) {
        if (*format == NotSparse) continue;  // nor is it anything else
        return refuse_unstored(statement, **part, *product, stores);
      }
      directives.push_back({"storage",
                            {SiteKind::Product, MemberName{(*part)->name, *product}.text()},
                            {*format, {}}});
      if (*product == "J") {
        const StorageFormat* known = find_format(*format);
        j_formats[(*part)->name] = known ? *known : StorageFormat::Structured;
      }
    }
    // The default of a JtJ depends on what is said of J.
    for (Directive& directive : directives) {
      if (directive.choice.label != NotSparse) continue;
      const MemberName name = parse_member_name(directive.site.name);
      Part part = *find_part(plan, name.part);
      if (const auto j = j_formats.find(name.part); j != j_formats.end()) part.j_format = j->second;
      directive.choice = choice_of(legal_formats(part, product_of(name)).front());
    }
    return directives;
  }

  std::string print(const Directive& directive) const override {
    return fmt::format("r.{}:storage(\"{}\")", directive.site.name, directive.choice.label);
  }

 private:
  static Expected<std::string> product_in(const ScheduleStatement& statement) {
    constexpr std::string_view of_part = "set_sparse";
    const std::string product = statement.on.kind == ScheduleName::Kind::Part
                                    ? statement.method.substr(of_part.size())
                                    : statement.on.product;
    if (product != "J" && product != "JtJ") {
      return fault_in(
          statement, fmt::format("{} has no format", product),
          {fmt::format("r.{}.J", statement.on.name), fmt::format("r.{}.JtJ", statement.on.name)});
    }
    return product;
  }

  // NotSparse is what takes csr back.
  static Expected<std::string> format_of(const ScheduleStatement& statement) {
    if (statement.method == "storage") return text_argument(statement, "\"csr\" for example");
    if (statement.method == "set_sparse" && statement.arguments.empty())
      return fault_in(statement, "takes true or false", {"true", "false"});
    const auto is_sparse = flag_argument(statement, true);
    if (!is_sparse) return fail(is_sparse.error());
    return std::string(*is_sparse ? to_string(StorageFormat::Csr) : NotSparse);
  }
};

Expected<void> register_into(Registrar& registrar) {
  return registrar.add<Construct>("storage", std::make_unique<StorageConstruct>());
}

}  // namespace
}  // namespace thallo

THALLO_PLUGIN("storage", "1.0.0", "", thallo::register_into);
