#include "core/kernel/lowering/gather_product.h"

#include <algorithm>
#include <iterator>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.h"
#include "core/kernel/construct_lowering.h"
#include "core/schedule/storage_format.h"

namespace thallo {
namespace {

// Adds zeros, so that the kernel has a section for the elements of every unknown, even of one to
// which no part adds.
void add_nothing_everywhere(ProgramBuilder& b, std::vector<Addend>& addends) {
  for (const FieldId unknown : b.energy().unknowns()) {
    const std::vector<DomainId> element = b.fresh_domains(b.energy().field(unknown).dims);
    const IndexId here = b.graph().indices().intern(element);
    for (int c = 0; c < b.energy().field(unknown).tangent_channels(); ++c) {
      addends.push_back(
          {b.vector_view(SolverVector::Ap, unknown), here, c, element, {}, b.graph().constant(0)});
    }
  }
}

}  // namespace

bool gathers_sum_of_product(const std::vector<UnknownSpace>& spaces, const Part& part) {
  if (part.strategy != Strategy::JtJp) return false;
  for (std::size_t s = 0; s < spaces.size(); ++s)
    if (!spaces[s].is_eliminated && part.jtjp.gathers_at(s)) return true;
  return false;
}

bool gathers_product(const Energy& energy, const Part& part) {
  if (part.strategy == Strategy::JtJp) return part.jtjp.gathers();
  if (stores_jtj(part.strategy)) return jtj_form(energy, part) == JtJForm::Diagonals;
  return part.jt.gathers() && !multiplies_by_library(part);
}

namespace {

// Fills the kernel: it gathers Ap of the addends' unknowns, or, where it starts Ap, of all
// unknowns.
void gather_product(ProgramBuilder& builder, Kernel& kernel, std::vector<Addend> addends,
                    ProductShare share) {
  ExprGraph& g = builder.graph();
  const bool starts = builder.start_product();
  if (starts) add_nothing_everywhere(builder, addends);
  const std::map<FieldId, FieldId> p_of = builder.paired_views(SolverVector::Ap, SolverVector::P);
  const std::map<FieldId, FieldId> damping_of =
      builder.damped() ? builder.paired_views(SolverVector::Ap, SolverVector::Damping)
                       : std::map<FieldId, FieldId>();
  std::map<IndexId, std::vector<ExprId>> p_ap;  // by element
  gather(builder, kernel, addends,
         [&](Block& body, FieldId field, IndexId here, int channel, ExprId sum) {
           const ExprId p = builder.read(p_of.at(field), here, channel);
           ExprId before = g.constant(0);
           ExprId counted = share == ProductShare::OfSum ? sum : g.constant(0);
           if (!starts) {
             before = builder.read(field, here, channel);
           } else if (builder.damped()) {
             before = g.mul(builder.read(damping_of.at(field), here, channel), p);
             counted = g.add(counted, before);
           }
           body.push_back({Store{field, here, channel, g.add(before, sum)}});
           p_ap[here].push_back(g.mul(p, counted));
         });
  // One reduction per element, after all stores, so that these can be a single vector store.
  for (Section& section : kernel.sections) {
    const ExprId reduced = g.add(p_ap[g.indices().intern(section.domains)]);
    if (g.is_constant(reduced, 0)) continue;
    std::ranges::move(builder.share_of_product(reduced), std::back_inserter(section.body));
  }
}

}  // namespace

void ProductGathers::add(Kernel kernel, const Part& part, std::vector<Addend> addends,
                         ProductShare share) {
  std::vector<DimId> points;
  for (const DomainId domain : part.order)
    points.push_back(b_.graph().indices().domain(domain).dim);
  if (!joins(kernel, points, share)) {
    launch_gather();
    waiting_ = Waiting{.kernel = std::move(kernel), .share = share};
  }
  std::ranges::move(addends, std::back_inserter(waiting_->addends));
  waiting_->points.push_back(std::move(points));
  waiting_->names.push_back(part.name);
}

bool ProductGathers::joins(const Kernel& kernel, const std::vector<DimId>& points,
                           ProductShare share) const {
  if (!waiting_) return false;
  THALLO_ASSERT(waiting_->kernel.part_role && kernel.part_role, "a gather without a role");
  const PartRole first{waiting_->kernel.part, *waiting_->kernel.part_role};
  const PartRole next{kernel.part, *kernel.part_role};
  return share == waiting_->share && kernel.role == waiting_->kernel.role &&
         can_do_both(b_.plan(), first, next) && can_do_both(b_.plan(), next, first) &&
         std::ranges::none_of(waiting_->points, [&](const std::vector<DimId>& other) {
           return std::ranges::is_permutation(other, points);
         });
}

void ProductGathers::launch() {
  launch_gather();
  for (Kernel& kernel : std::exchange(scatters_, {})) b_.launch_apply(std::move(kernel));
}

void ProductGathers::launch_gather() {
  if (!waiting_) return;
  Waiting all = *std::exchange(waiting_, std::nullopt);
  all.kernel.label = fmt::format("{} [{}]", all.kernel.role, fmt::join(all.names, ", "));
  gather_product(b_, all.kernel, std::move(all.addends), all.share);
  b_.launch_apply(std::move(all.kernel));
}

}  // namespace thallo
