#include "core/kernel/lowering/jtf.h"

#include <utility>

#include "core/kernel/lowering/accumulate.h"

namespace thallo {
namespace {

class JtfLowering {
 public:
  JtfLowering(ProgramBuilder& builder, const PartExpressions& e) : b_(builder), e_(e) {}

  void run(Block also, ComputeType compute) {
    for (const Target& t : e_.targets) {
      add_gradient(t);
      // Blocks have the diagonal, from where `finish_linearize` takes it.
      if (!b_.block_row(t.unknown, t.channel)) add_diagonal(t);
    }
    for (std::size_t s = 0; s < b_.program().spaces.size(); ++s) {
      if (b_.program().spaces[s].blocks) add_blocks(s);
    }
    const auto [gathered, scattered] = accumulated(b_, std::move(addends_), e_.part->jtf);
    Kernel gathering = part_kernel(*e_.part, Role::JtF, "gather_jtf");
    gathering.compute = compute;
    gather(b_, gathering, gathered, added_to_memory(b_));
    Kernel scattering = part_kernel(*e_.part, Role::JtF, also.empty() ? "jtf" : "jtf_jtj");
    scattering.compute = compute;
    scatter(scattering, e_.domains(), scattered, std::move(also));
    for (Kernel* kernel : {&gathering, &scattering})
      if (!kernel->sections.empty()) b_.launch(Phase::Linearize, b_.add_kernel(std::move(*kernel)));
  }

 private:
  void add(const Target& t, FieldId field, int channel, ExprId value) {
    if (b_.graph().is_constant(value, 0)) return;
    addends_.push_back(
        {field, t.index, channel, e_.domains(), t.loops, value, e_.has_parallel_sums});
  }

  void add_gradient(const Target& t) {
    ExprGraph& g = b_.graph();
    const ExprId gradient = transposed_product(g, t, [&](const JacobianEntry& entry) {
      return g.mul(e_.weights[entry.residual], e_.residuals[entry.residual]);
    });
    add(t, b_.vector_view(SolverVector::B, t.unknown), t.channel, g.neg(gradient));
  }

  void add_diagonal(const Target& t) {
    ExprGraph& g = b_.graph();
    const ExprId diagonal = transposed_product(g, t, [&](const JacobianEntry& entry) {
      return g.mul(e_.weights[entry.residual], entry.derivative);
    });
    add(t, b_.vector_view(SolverVector::D, t.unknown), t.channel, diagonal);
  }

  // Products of partials at the same element of an unknown space, lower triangle.
  void add_blocks(std::size_t space) {
    for (const Target& row : e_.targets) {
      for (const Target& col : e_.targets) {
        if (row.index != col.index || row.loops != col.loops) continue;
        const std::optional<int> i = block_channel(space, row);
        const std::optional<int> j = block_channel(space, col);
        if (!i || !j || *i < *j) continue;
        add(row, b_.blocks(space), triangle_position(*i, *j),
            normal_entry(b_.graph(), e_, row, col));
      }
    }
  }

  std::optional<int> block_channel(std::size_t space, const Target& target) const {
    const auto place = b_.block_row(target.unknown, target.channel);
    return place && place->space == space ? std::optional(place->row) : std::nullopt;
  }

  ProgramBuilder& b_;
  const PartExpressions& e_;
  std::vector<Addend> addends_;
};

}  // namespace

void lower_jtf(ProgramBuilder& builder, const PartExpressions& e, Block also, ComputeType compute) {
  JtfLowering(builder, e).run(std::move(also), compute);
}

}  // namespace thallo
