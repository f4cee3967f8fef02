// storage: decides the format of a stored J or JtJ, and the library that multiplies it.
//
// Site: each J and each JtJ that the strategy of its part stores: `r.fit.J`, `r.fit.JtJ`.
//
// Choices: one of four formats, by default `"structured"` where it is legal, else `"dense"`.
//
// | format | J | JtJ |
// |---|---|---|
// | `"structured"` | values in the order of the accesses | diagonals, or N x N |
// | `"blocks"` | | a block for each pair of elements, one triangle |
// | `"csr"` | values with their columns, row by row | the same, both triangles |
// | `"dense"` | all columns | N x N |
//
// - `product:storage(format)`: the canonical form.
// - `product:set_sparse(sparse)`, `part:set_sparseJ(sparse)`, `part:set_sparseJtJ(sparse)`: the
//   published spelling. True is `"csr"`. False is the default, and replaces earlier statements.
//
// A structured J needs no indices, because the energy determines the place of each value. A
// structured JtJ has diagonals if its entries have fixed offsets, as between `X(x, y)` and
// `X(x + 1, y)`. With sparse maps, constant indices and most Sums there are no fixed offsets. The
// JtJ is then N x N for N unknown scalars. A block belongs to two elements of unknowns that occur
// in one residual, and has a value for each pair of their channels. A csr J has a row for each
// residual at each point. All parts with an N x N JtJ share one matrix. If one of them asks for
// `"dense"`, the library multiplies it for all.
//
// Effect: generated kernels multiply matrices of the first two formats, cuSPARSE multiplies csr
// ones, and cuBLAS dense ones. cuBLAS also makes the JtJ of a dense J. On the CPU, Eigen replaces
// both libraries, in one thread. CUDA's libraries are opened when a schedule needs them, from the
// loader's path, `$CUDA_HOME/lib64`, `$CUDA_PATH/lib64` or `/usr/local/cuda/lib64`. A solve says
// which library is missing. A product by a library takes one more kernel, which sums p.Ap.
// Generated kernels are faster for small matrices. Blocks and columns are found on the CPU when the
// maps are bound.
//
// Legality: only a JtJ has blocks. A J must be structured if its Jt is gathered
// (`compute_at_output`), because the gather follows the accesses backwards. The JtJ of a dense J
// must be dense, because a dense J has columns but no accesses. Matrices that exceed
// `--memory-limit` (8 GiB), with the workspaces of the libraries, are refused when the maps are
// bound. `thallo explain choices` lists their formats.
//
// Example:
//
// ```lua
// local r = Residuals {
//   fit  = X(x, y) - A(x, y, 0),
//   near = X(x, y) - X(x + 1, y),
//   edge = P(V0(e)) - P(V1(e)),
// }
// r.fit:materializeJ():set_sparseJ()
// r.fit.J:set_sparse(true)                         -- the same
// r.near:strategy("[JtJ]p"):set_sparseJtJ()
// r.edge:strategy("[JtJ]p")                        -- N x N
// r.edge.JtJ:storage("blocks")
// ```

#include <algorithm>
#include <map>
#include <memory>

#include <fmt/format.h>

#include "core/plugin/abi.h"
#include "core/plugin/registrar.h"
#include "core/schedule/arguments.h"
#include "core/schedule/storage_format.h"
#include "core/schedule/storage_limit.h"

namespace thallo {
namespace {

const StorageFormat* find_format(std::string_view label) {
  const auto found =
      std::ranges::find(AllStorageFormats, label, [](StorageFormat f) { return to_string(f); });
  return found == AllStorageFormats.end() ? nullptr : &*found;
}

// Stands for the default format, which set_sparse(false) selects, until the default is known.
constexpr std::string_view NotSparse = "not sparse";

Choice choice_of(StorageFormat format) { return {std::string(to_string(format)), {}}; }

StoredProduct product_of(const MemberName& site) {
  return site.member == "J" ? StoredProduct::J : StoredProduct::JtJ;
}

// Returns the site's position among all products that the plan stores.
std::size_t position_of(const Plan& plan, const MemberName& site) {
  const std::vector<StoredProductOf> stored = stored_products_of(plan);
  const auto at = std::ranges::find_if(stored, [&](const StoredProductOf& other) {
    return plan.parts[other.part].name == site.part && other.product == product_of(site);
  });
  return static_cast<std::size_t>(at - stored.begin());
}

class StorageConstruct final : public Construct {
 public:
  std::string_view name() const override { return "storage"; }
  std::string_view doc() const override {
    return "How a stored J or JtJ lies in memory, and who multiplies it: as the energy's accesses "
           "have it, by generated kernels, or as a sparse or dense matrix, by libraries.";
  }
  Stage stage() const override { return Stage::Format; }

  std::vector<Site> sites(const Energy& /*energy*/, const Plan& plan) const override {
    std::vector<Site> sites;
    for (const auto& [part, product] : stored_products_of(plan)) {
      const char* name = product == StoredProduct::J ? "J" : "JtJ";
      sites.push_back({SiteKind::Product, MemberName{plan.parts[part].name, name}.text()});
    }
    return sites;
  }

  std::vector<Alternative> alternatives(const Energy& /*energy*/, const Plan& plan,
                                        const Site& site) const override {
    const MemberName name = parse_member_name(site.name);
    const StoredProduct product = product_of(name);
    std::vector<Alternative> result;
    for (const StorageFormat format : AllStorageFormats) {
      result.push_back(
          {choice_of(format), check_format(*find_part(plan, name.part), product, format)});
    }
    // The default is structured if it is legal, else dense.
    std::ranges::stable_partition(
        result, [](const Alternative& alternative) { return alternative.legal.has_value(); });
    if (plan.limit == nullptr) return result;
    const std::size_t num_decided = position_of(plan, name) + 1;
    for (Alternative& alternative : result) {
      if (!alternative.legal) continue;
      Plan with = plan;
      set_format(*find_part(with, name.part), product, *find_format(alternative.choice.label));
      alternative.legal = check_limit(with, num_decided);
    }
    return result;
  }
  std::string refusal(const Site& site, const Choice& choice) const override {
    return fmt::format("storage of r.{} cannot be '{}'", site.name, choice.label);
  }

  void apply(const Energy& /*energy*/, Plan& plan, const Site& site,
             const Choice& choice) const override {
    const MemberName name = parse_member_name(site.name);
    set_format(*find_part(plan, name.part), product_of(name), *find_format(choice.label));
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
    std::map<std::string, StorageFormat> j_formats;  // by part, from its last statement
    for (const ScheduleStatement& statement : statements) {
      THALLO_TRY(const auto part, part_in(statement, plan, names));
      THALLO_TRY(const auto format, format_of(statement));
      THALLO_TRY(const auto product, product_in(statement));
      const auto stores = product == "J" ? stores_j : stores_jtj;
      if (!stores(part->strategy)) {
        if (format == NotSparse) continue;  // nothing is stored, so nothing is csr
        return refuse_unstored(statement, *part, product, stores);
      }
      directives.push_back(
          {"storage", {SiteKind::Product, MemberName{part->name, product}.text()}, {format, {}}});
      if (product == "J") {
        const StorageFormat* known = find_format(format);
        j_formats[part->name] = known ? *known : StorageFormat::Structured;
      }
    }
    // The default of a JtJ depends on the format of J.
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

  // NotSparse undoes csr.
  static Expected<std::string> format_of(const ScheduleStatement& statement) {
    if (statement.method == "storage") return text_argument(statement, "\"csr\" for example");
    if (statement.method == "set_sparse" && statement.arguments.empty())
      return fault_in(statement, "takes true or false", {"true", "false"});
    THALLO_TRY(const auto is_sparse, flag_argument(statement, true));
    return std::string(is_sparse ? to_string(StorageFormat::Csr) : NotSparse);
  }
};

}  // namespace
}  // namespace thallo

THALLO_PLUGIN("storage", "1.0.0", "",
              thallo::register_item<thallo::Construct, thallo::StorageConstruct>);
