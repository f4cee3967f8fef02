#include "core/explore/measure/kernel_signature.h"

#include <algorithm>
#include <map>
#include <variant>

#include <fmt/format.h>

#include "core/base/overloaded.h"
#include "core/kernel/vector_layout.h"

namespace thallo {
namespace {

// Combines hashes independently of their order, since sections and statements may be numbered
// differently.
Hash128 without_order(std::vector<Hash128> hashes) {
  std::ranges::sort(hashes);
  Hasher hasher;
  for (const Hash128 hash : hashes) hasher.update(hash);
  return hasher.finish();
}

}  // namespace

KernelSignatures::KernelSignatures(const KernelProgram& program) : program_(program) {
  names_.dims = program.dims;
  names_.maps = program.maps;
  names_.fields = program.fields;
  const VectorLayout layout(program);
  std::map<std::string, int> num_named;
  for (std::size_t i = 0; i < names_.fields.size(); ++i) {
    Field& field = names_.fields[i];
    const int place = num_named[field.name]++;
    field.name = fmt::format("{}.{} {} {}", field.name, place, static_cast<int>(field.type),
                             layout.chunk(FieldId(i), 0).stride);
  }
}

Hash128 KernelSignatures::of(const Kernel& kernel) {
  Hasher hasher;
  hasher.update(kernel.label).update(static_cast<int>(kernel.compute));
  hasher.update(kernel.shape.threads_per_block)
      .update(kernel.shape.resident_threads)
      .update(kernel.shape.rows_per_thread)
      .update(kernel.shape.tile_width)
      .update(kernel.aggregates_in_warps);
  std::vector<Hash128> sections;
  for (const Section& section : kernel.sections) {
    Hasher of_section;
    for (const DomainId domain : section.domains)
      of_section.update(names_.dims[program_.graph.indices().domain(domain).dim.index()].name);
    of_section.update(of(section.body, section.domains)).update(section.team);
    sections.push_back(of_section.finish());
  }
  hasher.update(without_order(std::move(sections)));
  if (kernel.part.empty()) {
    Block epilogue;
    for (const Store& store : kernel.epilogue) epilogue.push_back({store});
    hasher.update(of(epilogue, {}));
  }
  if (kernel.loop_condition.valid()) hasher.update(of(kernel.loop_condition, {}));
  return hasher.finish();
}

Hash128 KernelSignatures::of(const Block& block, const Domains& domains) {
  std::vector<Hash128> statements;
  for (const Statement& statement : block) statements.push_back(of(statement, domains));
  return without_order(std::move(statements));
}

Hash128 KernelSignatures::of(const Statement& statement, const Domains& domains) {
  Hasher hasher;
  hasher.update(statement.node.index());
  std::visit(Overloaded{[&](const Store& s) {
                          hasher.update(of_place(s.field, s.index, s.channel, domains));
                          hasher.update(of(s.value, domains));
                        },
                        [&](const ScatterAdd& s) {
                          hasher.update(of_place(s.field, s.index, s.channel, domains));
                          hasher.update(of(s.value, domains));
                        },
                        [&](const MatrixAdd& s) {
                          hasher.update(names_.fields[s.matrix.index()].name);
                          for (const UnknownScalar& end : {s.row, s.col})
                            hasher.update(of_place(end.unknown, end.index, end.channel, domains));
                          hasher.update(of(s.value, domains));
                        },
                        [&](const Reduce& s) {
                          hasher.update(static_cast<int>(s.op)).update(s.slot);
                          hasher.update(of(s.value, domains));
                        },
                        [&](const Loop& s) {
                          Domains inside = domains;
                          inside.insert(inside.end(), s.domains.begin(), s.domains.end());
                          hasher.update(s.domains.size()).update(of(s.body, inside));
                        },
                        [&](const Guard& s) {
                          hasher.update(of(s.condition, domains)).update(of(s.body, domains));
                        }},
             statement.node);
  return hasher.finish();
}

Hash128 KernelSignatures::of(ExprId expression, const Domains& domains) {
  return ContentHash(program_.graph, names_).of(expression, domains);
}

// Hashes the scalar that a statement writes or adds to, as if it were read.
Hash128 KernelSignatures::of_place(FieldId field, IndexId index, int channel,
                                   const Domains& domains) {
  return of(program_.graph.access(field, index, channel), domains);
}

}  // namespace thallo
