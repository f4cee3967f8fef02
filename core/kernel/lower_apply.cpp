#include <fmt/format.h>

#include "core/kernel/accumulate.h"
#include "core/kernel/products.h"

namespace thallo {
namespace {

constexpr const char* Direction = "p";

class ApplyLowering {
 public:
  ApplyLowering(ProgramBuilder& builder, const PartExpressions& e)
      : b_(builder), g_(builder.graph()), e_(e) {}

  void run() {
    if (e_.targets.empty()) return;
    const std::vector<ExprId> jp = jacobian_product(b_, e_, Direction);
    std::vector<ExprId> weighted;
    for (std::size_t r = 0; r < jp.size(); ++r) weighted.push_back(g_.mul(e_.weights[r], jp[r]));
    if (stores_jp(e_.part->strategy)) {
      const std::vector<ExprId> stored = store_jp(jp, weighted);
      if (e_.part->jt == ComputeAt::Output) {
        Kernel kernel = part_kernel(*e_.part, "jt", "gather_jt");
        gather(b_, kernel, addends(stored), Gathered::Added);
        launch(std::move(kernel));
      } else {
        Kernel kernel = part_kernel(*e_.part, "jt", "apply_jt");
        scatter(kernel, addends(stored));
        launch(std::move(kernel));
      }
    } else if (e_.part->jtjp == ComputeAt::Output) {
      Kernel kernel = part_kernel(*e_.part, "jtjp", "gather_jtjp");
      gather(b_, kernel, addends(weighted), {StateSlot::PAp, b_.paired_views("Ap", Direction)});
      launch(std::move(kernel));
    } else {
      Kernel kernel = part_kernel(*e_.part, "jtjp", "apply_jtjp");
      scatter(kernel, addends(weighted));
      kernel.sections.front().body.push_back(p_ap(jp, weighted));
      launch(std::move(kernel));
    }
  }

 private:
  // J^T times a value of each residual.
  std::vector<Addend> addends(const std::vector<ExprId>& factors) {
    std::vector<Addend> result;
    for (const Target& t : e_.targets) {
      const ExprId value = transposed_product(
          g_, t, [&](const JacobianEntry& entry) { return factors[entry.residual]; });
      if (g_.is_constant(value, 0)) continue;
      result.push_back(
          {b_.vector_view("Ap", t.unknown), t.index, t.channel, e_.domains(), t.loops, value});
    }
    return result;
  }

  // The part's share of p.Ap is the sum of w (Jp)^2.
  Statement p_ap(const std::vector<ExprId>& jp, const std::vector<ExprId>& weighted) {
    std::vector<ExprId> squares;
    for (std::size_t r = 0; r < jp.size(); ++r) squares.push_back(g_.mul(jp[r], weighted[r]));
    return b_.reduce(StateSlot::PAp, g_.add(squares));
  }

  // Makes the kernel that stores the weighted Jp, and returns reads of it. A residual that does not
  // depend on the unknowns has none.
  std::vector<ExprId> store_jp(const std::vector<ExprId>& jp, const std::vector<ExprId>& weighted) {
    Kernel kernel = part_kernel(*e_.part, "jp", "apply_jp");
    Section section{.domains = e_.domains(), .body = {}};
    const IndexId here = g_.indices().intern(e_.domains());
    std::vector<ExprId> stored;
    for (std::size_t r = 0; r < jp.size(); ++r) {
      if (g_.is_constant(weighted[r])) {
        stored.push_back(weighted[r]);
        continue;
      }
      const FieldId field =
          b_.part_field(fmt::format("Jp.{}", e_.part->name), std::to_string(r), e_.domains(), 1);
      section.body.push_back({Store{field, here, 0, weighted[r]}});
      stored.push_back(b_.read(field, here));
    }
    section.body.push_back(p_ap(jp, weighted));
    kernel.sections.push_back(std::move(section));
    launch(std::move(kernel));
    return stored;
  }

  void launch(Kernel kernel) { b_.launch_apply(b_.add_kernel(std::move(kernel)), Direction); }

  ProgramBuilder& b_;
  ExprGraph& g_;
  const PartExpressions& e_;
};

}  // namespace

void lower_apply(ProgramBuilder& builder, const PartExpressions& e) {
  ApplyLowering(builder, e).run();
}

}  // namespace thallo
