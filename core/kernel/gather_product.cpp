#include "core/kernel/gather_product.h"

#include <map>

namespace thallo {
namespace {

// The element of every unknown gets a section of the kernel, also where nothing is added.
void add_nothing_everywhere(ProgramBuilder& b, std::vector<Addend>& addends) {
  for (const FieldId unknown : b.energy().unknowns()) {
    const std::vector<DomainId> element = b.fresh_domains(b.energy().field(unknown).dims);
    const IndexId here = b.graph().indices().intern(element);
    for (int c = 0; c < b.energy().field(unknown).tangent_channels(); ++c) {
      addends.push_back(
          {b.vector_view("Ap", unknown), here, c, element, {}, b.graph().constant(0)});
    }
  }
}

}  // namespace

bool gathers_product(const Part& part) {
  if (part.strategy == Strategy::JtJp) return part.jtjp == ComputeAt::Output;
  if (stores_jtj(part.strategy)) return part.jtj_format == StorageFormat::Structured;
  return part.jt == ComputeAt::Output;
}

void gather_product(ProgramBuilder& builder, Kernel& kernel, std::vector<Addend> addends,
                    ProductShare share) {
  ExprGraph& g = builder.graph();
  const bool starts = builder.start_product();
  if (starts) add_nothing_everywhere(builder, addends);
  const std::map<FieldId, FieldId> p_of = builder.paired_views("Ap", "p");
  const std::map<FieldId, FieldId> damping_of =
      builder.damped() ? builder.paired_views("Ap", "damping") : std::map<FieldId, FieldId>();
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
           if (!g.is_constant(counted, 0))
             body.push_back(builder.reduce(StateSlot::PAp, g.mul(p, counted)));
         });
}

}  // namespace thallo
