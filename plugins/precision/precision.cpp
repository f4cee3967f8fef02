// precision: decides the precision of a stored product or of the vectors of the linear solver.
//
// Site: each J, JtJ or Jp that the strategy of its part stores (`r.fit.J`), and `r.vectors`, the
// vectors of the linear solver: p, r, z, (JtJ + D)p and the step.
//
// Choices: one of three precisions. The last column bounds the relative error of J p and JtJ p,
// which `thallo verify` allows. The error is relative to the magnitude of the rounded values that
// contribute to an entry.
//
// | precision | numbers | off by at most |
// |---|---|---|
// | `"working"` | as computed: float, or double with `--double`; the default | |
// | `"single"` | float; without `--double` the same as working | 1e-6; of vectors 1e-5 |
// | `"half"` | 16 bits: 11 significant, to 65504; not of vectors | 4e-3 |
//
// - `product:precision(kept)`, `r.vectors:precision(kept)`: `kept` is one of these three strings.
//
// Effect: less memory is used and moved. Computation stays in the working precision: stores round,
// and loads convert. JtF, the preconditioner and the cost read neither products nor vectors, so
// they stay exact. Sums over vectors are in double.
//
// In half precision, numbers below 6.1e-5 have fewer bits, and numbers below 3e-8 are 0. Numbers
// beyond 65504 become infinite, and the solve ends and names the product. `thallo verify` counts
// such a schedule as out of range. Scale the residuals, or use `"single"`. Jp becomes as small as
// the directions of the linear solve, which shrink as it converges. With vectors in single
// precision a linear solve reduces the residual to about 1e-6 of its start. More nonlinear
// iterations make up for this.
//
// Legality: vectors cannot be in half. A JtJ without diagonals stays in the working precision,
// because each addition in memory would round. Matrices that a library multiplies, csr and dense,
// stay in it with their Jp and the vectors, because the library needs one type for all. The vectors
// of direct linear solvers stay in it, too.
//
// Example:
//
// ```lua
// local r = Residuals { fit = X(x, y) * A(x, y, 0) - 1, near = sin(X(x, y)) - X(x + 1, y) }
// r.fit:strategy("[Jt][[J]p]")
// r.fit.J:precision("half")
// r.near:strategy("[JtJ]p")
// r.near.JtJ:precision("single")
// r.vectors:precision("single")
// ```

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

// A number with 11 significant bits has an error of at most 1/2048. [[Jt][J]]p multiplies three
// such numbers, two of J and one of the JtJ made from them: 1.5e-3. Numbers below 6.1e-5 have fewer
// bits.
constexpr double HalfTolerance = 4e-3;
// Three numbers of 24 bits are multiplied, and sums add to the error.
constexpr double SingleTolerance = 1e-6;
// For vectors, if Ap is summed in memory: some hundred addends with 24 bits each.
constexpr double VectorTolerance = 1e-5;

struct Kept {
  std::string_view label;
  ScalarType type = ScalarType::Working;
  double tolerance = 0;  // of JtJp
};
constexpr std::array AllKept = {Kept{"working", ScalarType::Working, 0},
                                Kept{"single", ScalarType::Float, SingleTolerance},
                                Kept{"half", ScalarType::Half, HalfTolerance}};

struct Stored {
  std::string_view name;
  bool (*is_stored)(Strategy strategy);
  ScalarType Part::*type;
};
constexpr std::array Products = {Stored{"J", stores_j, &Part::j_type},
                                 Stored{"JtJ", stores_jtj, &Part::jtj_type},
                                 Stored{"Jp", stores_jp, &Part::jp_type}};

const Stored* find_product(std::string_view name) {
  const auto found = std::ranges::find(Products, name, &Stored::name);
  return found == Products.end() ? nullptr : &*found;
}

constexpr std::string_view Adds = "is added up in memory, where each addition would round";
constexpr std::string_view Multiplies =
    "is multiplied by a library, which takes matrix and vectors of one type";

// Fails if the product cannot be stored in less than the working precision.
Expected<void> check_product(const Energy& energy, const Part& part, const Stored& product) {
  if (product.name == "JtJ") {
    const std::string_view format = to_string(part.jtj_format);
    if (multiplies_by_library(part)) return fail("a {} JtJ {}", format, Multiplies);
    switch (jtj_form(energy, part)) {
      case JtJForm::Diagonals: return {};
      case JtJForm::Matrix: return fail("a JtJ whose entries are at no fixed offsets {}", Adds);
      case JtJForm::Blocks:
      case JtJForm::Csr: return fail("a {} JtJ {}", format, Adds);
    }
  }
  if (!stores_j(part.strategy) || part.j_format == StorageFormat::Structured) return {};
  const std::string_view format = to_string(part.j_format);
  if (product.name == "Jp") return fail("Jp of a {} J {}", format, Multiplies);
  if (part.j_format == StorageFormat::Csr && stores_jtj(part.strategy)) return {};
  return fail("a {} J {}", format, Multiplies);
}

Expected<void> check_vectors(const Plan& plan, ScalarType type) {
  if (type == ScalarType::Half) {
    return fail(
        "x and r are added to in every iteration and would lose what 11 bits do not hold, and the "
        "numbers of a linear solve that converges do not stay between 6e-8 and 65504");
  }
  const auto part = std::ranges::find_if(plan.parts, multiplies_by_library);
  if (part == plan.parts.end()) return {};
  return fail("the stored {} of r.{} {}", stores_jtj(part->strategy) ? "JtJ" : "J", part->name,
              Multiplies);
}

// Fails if the product or the vectors at the site cannot have this type.
Expected<void> check_type(const Energy& energy, const Plan& plan, const Site& site,
                          ScalarType type) {
  if (type == ScalarType::Working) return {};
  if (site.kind == SiteKind::SolverVectors) return check_vectors(plan, type);
  const MemberName name = parse_member_name(site.name);
  return check_product(energy, *find_part(plan, name.part), *find_product(name.member));
}

class PrecisionConstruct final : public Construct {
 public:
  std::string_view name() const override { return "precision"; }
  std::string_view doc() const override {
    return "In what precision stored products and the solver's vectors are kept in memory; "
           "computed "
           "is in the working one.";
  }
  Stage stage() const override { return Stage::LowLevel; }

  std::vector<Site> sites(const Energy& /*energy*/, const Plan& plan) const override {
    std::vector<Site> sites;
    for (const Part& part : plan.parts) {
      for (const Stored& product : Products) {
        if (!product.is_stored(part.strategy)) continue;
        sites.push_back(
            {SiteKind::Product, MemberName{part.name, std::string(product.name)}.text()});
      }
    }
    sites.push_back(vectors_site());
    return sites;
  }

  std::vector<Alternative> alternatives(const Energy& energy, const Plan& plan,
                                        const Site& site) const override {
    std::vector<Alternative> result;
    for (const Kept& kept : AllKept) {
      const bool is_working = kept.type == ScalarType::Float && plan.precision == Precision::Float;
      result.push_back({{std::string(kept.label), {}},
                        check_type(energy, plan, site, kept.type),
                        /*is_repeated=*/is_working});
    }
    return result;
  }
  std::string refusal(const Site& site, const Choice& choice) const override {
    return fmt::format("precision of r.{} cannot be '{}'", site.name, choice.label);
  }

  void apply(const Energy& /*energy*/, Plan& plan, const Site& site,
             const Choice& choice) const override {
    const Kept& kept = *find_kept(choice.label);
    double tolerance = kept.tolerance;
    if (site.kind == SiteKind::SolverVectors) {
      plan.vector_type = kept.type;
      if (kept.type != ScalarType::Working) tolerance = VectorTolerance;
    } else {
      const MemberName name = parse_member_name(site.name);
      find_part(plan, name.part)->*find_product(name.member)->type = kept.type;
    }
    plan.product_tolerance = std::max(plan.product_tolerance, tolerance);
  }

  std::vector<Spelling> spellings() const override {
    return {{ScheduleName::Kind::Product, "precision"}, {ScheduleName::Kind::Part, "precision"}};
  }

  Expected<Directive> read(const Energy& /*energy*/, const Plan& plan, const PartNames& names,
                           const ScheduleStatement& statement) const override {
    THALLO_TRY(const auto label, text_argument(statement, "\"single\" for example"));
    if (statement.on.kind == ScheduleName::Kind::Part) {
      if (statement.on.name != vectors_site().name)
        return fault_in(statement, "a part as such is kept nowhere", kept_of(statement.on.name));
      return Directive{"precision", vectors_site(), {label, {}}};
    }
    THALLO_TRY(const auto part, part_in(statement, plan, names));
    THALLO_CHECK(check_stored(statement, *part));
    return Directive{"precision",
                     {SiteKind::Product, MemberName{part->name, statement.on.product}.text()},
                     {label, {}}};
  }

  std::string print(const Directive& directive) const override {
    return fmt::format("r.{}:precision(\"{}\")", directive.site.name, directive.choice.label);
  }

 private:
  static const Kept* find_kept(std::string_view label) {
    const auto found = std::ranges::find(AllKept, label, &Kept::label);
    return found == AllKept.end() ? nullptr : &*found;
  }

  static std::vector<std::string> kept_of(const std::string& part) {
    std::vector<std::string> names;
    for (const Stored& product : Products)
      names.push_back(fmt::format("r.{}.{}", part, product.name));
    names.push_back(fmt::format("r.{}", vectors_site().name));
    return names;
  }

  static Expected<void> check_stored(const ScheduleStatement& statement, const Part& part) {
    const Stored* product = find_product(statement.on.product);
    if (product == nullptr) {
      return fault_in(statement,
                      fmt::format("{} is not stored to be read again", statement.on.product),
                      kept_of(statement.on.name));
    }
    if (product->is_stored(part.strategy)) return {};
    return refuse_unstored(statement, part, product->name, product->is_stored);
  }
};

}  // namespace
}  // namespace thallo

THALLO_PLUGIN("precision", "1.0.0", "",
              thallo::register_item<thallo::Construct, thallo::PrecisionConstruct>);
