#include "core/kernel/lowering/shared.h"

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "core/kernel/lowering/accumulate.h"
#include "core/kernel/lowering/sum.h"
#include "core/kernel/vector_layout.h"

namespace thallo {
namespace {

// The partials of each channel, read at the intermediate's own point. Where derivatives are stored,
// they are reads of these.
std::vector<Gradient> gradients(ProgramBuilder& b, Differentiator& by,
                                const SharedIntermediate& shared) {
  const IndexId here = b.graph().indices().intern(shared.domains);
  std::vector<Gradient> result;
  for (int c = 0; c < b.program().field(shared.field).channels; ++c)
    result.push_back(by.gradient(b.read(shared.field, here, c)));
  return result;
}

// The fields of a product, one for each chunk.
std::vector<FieldId> product_fields(ProgramBuilder& b, const SharedIntermediate& shared,
                                    const char* product) {
  const std::string name = fmt::format("{}.{}", product, b.program().field(shared.field).name);
  const int channels = b.program().field(shared.field).channels;
  std::vector<FieldId> fields;
  for (int c = 0; c < channels;) {
    const int width = blocked_chunk(channels, c).width;
    fields.push_back(b.stored_field(BufferKind::Product, name, shared.domains, width));
    c += width;
  }
  return fields;
}

SharedChannel place_of(ProgramBuilder& b, const SharedIntermediate& shared,
                       const std::vector<FieldId>& fields, int channel) {
  const Chunk chunk = blocked_chunk(b.program().field(shared.field).channels, channel);
  return {fields[static_cast<std::size_t>(chunk.number)], channel - chunk.first};
}

Kernel kernel_of(ProgramBuilder& b, const SharedIntermediate& shared, const std::string& role) {
  return {.role = role,
          .label = fmt::format("{} [{}]", role, b.program().field(shared.field).name)};
}

}  // namespace

bool is_shared(ProgramBuilder& b, std::size_t intermediate) {
  if (!b.plan().intermediates[intermediate].direction) return false;
  if (!b.has_linear_loop()) return false;
  bool has_partials = false;
  for (const ExprId value : b.intermediate(intermediate).values) {
    for (const Partial& partial : b.differentiator().gradient(value)) {
      if (b.is_eliminated(partial.unknown)) return false;
      has_partials = true;
    }
  }
  return has_partials;
}

void share(ProgramBuilder& b, std::size_t position) {
  const Intermediate& intermediate = b.intermediate(position);
  const IndexId here = b.graph().indices().intern(intermediate.domains);
  std::vector<Gradient> by_itself(intermediate.values.size());
  for (std::size_t c = 0; c < by_itself.size(); ++c) {
    if (b.differentiator().gradient(intermediate.values[c]).empty()) continue;
    by_itself[c] = {{intermediate.field, here, static_cast<int>(c), {}, b.graph().constant(1)}};
  }
  b.jp_differentiator().define(intermediate.field, intermediate.domains, by_itself);
  b.jt_differentiator().define(intermediate.field, intermediate.domains, by_itself);
  b.shared_intermediates().push_back(
      {.field = intermediate.field, .domains = intermediate.domains});
}

SharedChannel direction_of_shared(ProgramBuilder& b, SharedIntermediate& shared, int channel) {
  if (!shared.direction.empty()) return place_of(b, shared, shared.direction, channel);
  ExprGraph& g = b.graph();
  shared.direction = product_fields(b, shared, "direction");
  Kernel kernel = kernel_of(b, shared, "apply_direction");
  Section section{.domains = shared.domains};
  const IndexId here = g.indices().intern(shared.domains);
  int c = 0;
  for (const Gradient& gradient : gradients(b, b.direct_differentiator(), shared)) {
    std::vector<ExprId> terms;
    for (const Partial& p : gradient) {
      const ExprId direction = read_direction(b, p.unknown, p.index, p.channel);
      terms.push_back(g.sum(p.loops, g.mul(b.inlined(p.value), direction)));
    }
    const auto [field, in_field] = place_of(b, shared, shared.direction, c++);
    section.body.push_back({Store{field, here, in_field, g.add(terms)}});
  }
  kernel.sections.push_back(std::move(section));
  const std::size_t id = b.launch_apply(std::move(kernel));
  b.keep(ProgramBuilder::Later::Directions, LaunchKernel{id, {}, b.x_for_p()});
  return place_of(b, shared, shared.direction, channel);
}

SharedChannel adjoint_of_shared(ProgramBuilder& b, SharedIntermediate& shared, int channel) {
  if (shared.adjoint.empty()) {
    shared.adjoint = product_fields(b, shared, "adjoint");
    b.clear_in_apply(b.buffer_of(shared.adjoint.front()));
  }
  return place_of(b, shared, shared.adjoint, channel);
}

void lower_adjoints(ProgramBuilder& b) {
  ExprGraph& g = b.graph();
  for (const SharedIntermediate& shared : b.shared_intermediates()) {
    if (shared.adjoint.empty()) continue;
    const IndexId here = g.indices().intern(shared.domains);
    std::vector<Addend> addends;
    int c = 0;
    const bool has_parallel_sums =
        std::ranges::any_of(gradients(b, b.direct_differentiator(), shared),
                            [&](const Gradient& gradient) { return b.reads_stored_sum(gradient); });
    for (const Gradient& gradient : gradients(b, b.differentiator(), shared)) {
      const auto [field, in_field] = place_of(b, shared, shared.adjoint, c++);
      const ExprId adjoint = b.read(field, here, in_field);
      // Where no residual reads the intermediate, its derivatives need not be numbers.
      const ExprId is_read = g.logical_not(g.binary(Op::Eq, adjoint, g.constant(0)));
      for (const Partial& p : gradient) {
        addends.push_back({.field = b.vector_view(SolverVector::Ap, p.unknown),
                           .index = p.index,
                           .channel = p.channel,
                           .points = shared.domains,
                           .loops = p.loops,
                           .value = g.mul(is_read, g.mul(b.inlined(p.value), adjoint)),
                           .loops_are_parallel = has_parallel_sums});
      }
    }
    Kernel kernel = kernel_of(b, shared, "apply_adjoint");
    scatter(kernel, shared.domains, addends);
    b.launch_apply(std::move(kernel));
  }
}

}  // namespace thallo
