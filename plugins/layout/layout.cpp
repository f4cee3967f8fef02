// layout: decides the order of an element's channels in the solver's vectors.
//
// Site: `r.vectors`, the solver's vectors. They are p, r, z, Ap, b and x of PCG (the direction, the
// residual, the preconditioned residual, the product, the right-hand side and the step), the
// diagonals, and the blocks of the preconditioner `block_jacobi`. They all have one layout. Fields
// that the user binds, unknowns among them, do not change.
//
// Choices: plain (the default), or blocked.
//
// - `r.vectors:layout(layout)`: `"plain"` stores the channels of an element side by side,
//   element after element. `"blocked"` divides elements into chunks of 4, then 3, 2 or 1
//   channels, and stores the same chunk of all elements together, with a gap behind a chunk of
//   3. For example, an element of 9 channels has chunks of 4, 4 and 1. The first chunks of all
//   elements come first, then their second chunks, then their third. In mixed precision the
//   linear loop reads copies of fields in float. Their elements of 3 channels or more begin at
//   multiples of 16 bytes.
//
// Effect: the lanes of a warp compute neighboring elements. In blocked vectors they read a chunk
// of 4 as 512 adjacent bytes, 16 bytes each with one instruction. In plain vectors of 9 channels
// their reads are 36 bytes apart. An access to single elements through a sparse map reads them
// by 16 bytes and adds up to four channels at once. Gaps take memory: a third more for 3
// channels.
//
// Legality: blocked vectors need an unknown whose elements do not have 1, 2 or 4 channels, because
// such elements are one chunk. They exclude a J or JtJ stored `"csr"` or `"dense"`, an N x N JtJ,
// and direct linear solvers, all of which number their columns like plain vectors.
//
// Example:
//
// ```lua
// local r = Residuals { edge = P(V0(e)) - P(V1(e)) }
// r.vectors:layout("blocked")
// ```

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "core/plugin/abi.h"
#include "core/plugin/registrar.h"
#include "core/schedule/arguments.h"
#include "core/schedule/storage_format.h"

namespace thallo {
namespace {

Choice choice_of(VectorOrder order) { return {std::string(to_string(order)), {}}; }

// True if all channels of an element form one chunk.
bool is_one_chunk(const Energy& energy, FieldId unknown) {
  const int channels = energy.field(unknown).tangent_channels();
  return channels == 1 || channels == 2 || channels == 4;
}

// Returns a stored product that numbers its columns like plain vectors; nothing if there is none.
std::optional<std::string> product_of_columns(const Energy& energy, const Plan& plan) {
  for (const Part& part : plan.parts) {
    for (const auto& [product, name] :
         {std::pair(StoredProduct::J, "J"), std::pair(StoredProduct::JtJ, "JtJ")}) {
      const std::string columns = columns_of(energy, part, product);
      if (!columns.empty()) return fmt::format("the {} of r.{} is {}", name, part.name, columns);
    }
  }
  return {};
}

Expected<void> check_blocked(const Energy& energy, const Plan& plan) {
  const auto one_chunk = [&](FieldId unknown) { return is_one_chunk(energy, unknown); };
  if (std::ranges::all_of(energy.unknowns(), one_chunk))
    return fail(
        "elements of 1, 2 or 4 channels are one chunk, which is how they lie in plain vectors");
  if (const auto product = product_of_columns(energy, plan))
    return fail(
        "{}, and its columns are numbered as plain vectors are; a structured J, diagonals and "
        "blocks of JtJ have none",
        *product);
  return {};
}

class LayoutConstruct final : public Construct {
 public:
  std::string_view name() const override { return "layout"; }
  std::string_view doc() const override {
    return "How the channels of an element lie in the solver's vectors: side by side or in chunks.";
  }
  Stage stage() const override { return Stage::LowLevel; }

  std::vector<Site> sites(const Energy& /*energy*/, const Plan& /*plan*/) const override {
    return {vectors_site()};
  }

  std::vector<Alternative> alternatives(const Energy& energy, const Plan& plan,
                                        const Site& /*site*/) const override {
    return {{choice_of(VectorOrder::Plain)},
            {choice_of(VectorOrder::Blocked), check_blocked(energy, plan)}};
  }
  std::string refusal(const Site& site, const Choice& choice) const override {
    return fmt::format("layout of r.{} cannot be '{}'", site.name, choice.label);
  }

  void apply(const Energy& /*energy*/, Plan& plan, const Site& /*site*/,
             const Choice& choice) const override {
    plan.vector_order =
        choice == choice_of(VectorOrder::Blocked) ? VectorOrder::Blocked : VectorOrder::Plain;
  }

  std::vector<Spelling> spellings() const override {
    return {{ScheduleName::Kind::Part, "layout"}};
  }

  Expected<Directive> read(const Energy& /*energy*/, const Plan& /*plan*/,
                           const PartNames& /*names*/,
                           const ScheduleStatement& statement) const override {
    THALLO_CHECK(check_on_vectors(statement));
    THALLO_TRY(const auto label, text_argument(statement, "\"blocked\" for example"));
    return Directive{"layout", vectors_site(), {label, {}}};
  }

  std::string print(const Directive& directive) const override {
    return fmt::format("r.{}:layout(\"{}\")", directive.site.name, directive.choice.label);
  }
};

}  // namespace
}  // namespace thallo

THALLO_PLUGIN("layout", "1.0.0", "",
              thallo::register_item<thallo::Construct, thallo::LayoutConstruct>);
