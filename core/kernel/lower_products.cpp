// The energy's own kernels: which of them each part has.

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/kernel/gather_product.h"
#include "core/kernel/products.h"

namespace thallo {
namespace {

bool is_dense(const ProgramBuilder& b, const Part& part) {
  return b.options().linear_solver == LinearSolverKind::Dense || stores_dense_jtj(part);
}

void lower_clears(ProgramBuilder& b) {
  const auto clear = [&](std::size_t buffer) { b.step(Phase::Linearize, ClearBuffer{buffer}); };
  clear(b.vector("b"));
  clear(b.vector("d"));
  if (b.options().preconditioner == PreconditionerKind::BlockJacobi) {
    for (std::size_t s = 0; s < b.program().spaces.size(); ++s) {
      if (!has_block(b.program().spaces[s])) continue;
      b.element_blocks("blocks", s);
      clear(b.program().find_buffer(fmt::format("blocks.{}", s)));
    }
  }
  if (std::ranges::any_of(b.plan().parts, [&](const Part& part) { return is_dense(b, part); })) {
    b.matrix();
    clear(b.program().find_buffer("JtJ"));
  }
}

PartExpressions lower_j(ProgramBuilder& b, const PartExpressions& e) {
  switch (e.part->j_format) {
    case StorageFormat::Structured: return lower_stored_j(b, e);
    case StorageFormat::Csr: return lower_csr_j(b, e);
    case StorageFormat::Dense: return lower_dense_j(b, e);
  }
  THALLO_UNREACHABLE();
}

// JtJ p of a part, as its strategy says.
void lower_operator(ProgramBuilder& b, const PartExpressions& e, ProductGathers& gathers) {
  const Strategy strategy = e.part->strategy;
  const PartExpressions linear = stores_j(strategy) ? lower_j(b, e) : e;
  if (!stores_jtj(strategy)) return lower_apply(b, linear, gathers);
  switch (e.part->jtj_format) {
    case StorageFormat::Structured: return lower_stored_jtj(b, linear, gathers);
    case StorageFormat::Csr: return lower_csr_jtj(b, linear);
    case StorageFormat::Dense:
      return stores_j(strategy) && e.part->j_format == StorageFormat::Dense
                 ? lower_dense_square(b, linear)
                 : lower_dense_jtj(b, linear);
  }
}

}  // namespace

void lower_products(ProgramBuilder& b) {
  lower_clears(b);
  std::vector<const Part*> parts;
  for (const Part& part : b.plan().parts) parts.push_back(&part);
  // A scatter must find Ap started.
  std::ranges::stable_partition(parts, [](const Part* part) { return gathers_product(*part); });
  ProductGathers gathers(b);
  for (const Part* part : parts) {
    if (!gathers_product(*part)) gathers.launch();
    const PartExpressions e = part_expressions(b, *part);
    lower_cost(b, e, part == parts.back());
    lower_jtf(b, e);
    if (b.options().linear_solver == LinearSolverKind::Dense) {
      lower_dense_jtj(b, e);
    } else {
      lower_operator(b, e, gathers);
    }
  }
  gathers.launch();
  if (std::ranges::none_of(parts, [&](const Part* part) { return is_dense(b, *part); })) return;
  lower_dense_halves(b);
  if (b.options().linear_solver == LinearSolverKind::Pcg) lower_dense_product(b);
}

}  // namespace thallo
