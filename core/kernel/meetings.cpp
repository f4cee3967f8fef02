#include "core/kernel/meetings.h"

#include <algorithm>
#include <variant>

namespace thallo {
std::optional<Addition> addition_in(const Statement& statement) {
  if (const auto* add = std::get_if<ScatterAdd>(&statement.node))
    return Addition{add->field, {add->field}, {add->index}, {add->channel}, add->value};
  if (const auto* add = std::get_if<MatrixAdd>(&statement.node)) {
    return Addition{add->matrix,
                    {add->row.unknown, add->col.unknown},
                    {add->row.index, add->col.index},
                    {add->row.channel, add->col.channel},
                    add->value};
  }
  return std::nullopt;
}

Meetings::Meetings(const KernelProgram& program, const Kernel& kernel) : program_(program) {
  for (std::size_t s = 0; s < kernel.sections.size(); ++s)
    collect(kernel.sections[s], s, kernel.sections[s].body);
}

void Meetings::collect(const Section& section, std::size_t number, const Block& block) {
  for (const Statement& statement : block) {
    if (const auto* loop = std::get_if<Loop>(&statement.node)) collect(section, number, loop->body);
    if (const auto* guard = std::get_if<Guard>(&statement.node))
      collect(section, number, guard->body);
    const auto addition = addition_in(statement);
    if (!addition) continue;
    sections_[elements(*addition)].insert(number);
    if (auto told_apart = places(section, *addition))
      places_[elements(*addition)].insert(*std::move(told_apart));
  }
}

bool Meetings::meet(const Section& section, const Addition& addition) const {
  if (sections_.at(elements(addition)).size() > 1) return true;
  if (is_target(section, addition)) return false;
  return !places(section, addition) || places_.at(elements(addition)).size() > 1;
}

Meetings::Elements Meetings::elements(const Addition& addition) const {
  std::vector<std::vector<DimId>> dims;
  for (const FieldId field : addition.fields) dims.push_back(program_.field(field).dims);
  return {addition.memory, std::move(dims)};
}

std::optional<Meetings::Places> Meetings::places(const Section& section,
                                                 const Addition& addition) const {
  const IndexTable& indices = program_.graph.indices();
  const auto place_of = [&](DomainId domain) -> std::optional<Places::value_type> {
    for (std::size_t i = 0; i < addition.at.size(); ++i) {
      const MultiIndex& index = indices[addition.at[i]];
      for (std::size_t c = 0; c < index.size(); ++c)
        if (indices.as_domain(index[c]) == domain) return std::pair(i, c);
    }
    return std::nullopt;
  };
  Places result;
  for (const DomainId domain : section.domains) {
    const auto place = place_of(domain);
    if (!place) return std::nullopt;
    result.push_back(*place);
  }
  return result;
}

// True if it adds to the target of an AdditionOrder that the point stands for.
bool Meetings::is_target(const Section& section, const Addition& addition) const {
  const IndexTable& indices = program_.graph.indices();
  if (section.domains.size() != 1) return false;
  const DomainId target = section.domains.front();
  const auto is_element = [&](IndexId index, MapId elements) {
    return std::ranges::all_of(indices[index], [&](const Affine& component) {
      const AtomId lookup = indices.as_map_lookup(component);
      return lookup.valid() && indices.atom(lookup).map == elements &&
             indices.as_domain(indices[indices.atom(lookup).argument].front()) == target;
    });
  };
  const auto is_constant = [&](IndexId index) { return indices.domains_of(index).empty(); };
  return std::ranges::any_of(program_.addition_orders, [&](const AdditionOrder& order) {
    return order.targets == indices.domain(target).dim &&
           (order.fields.empty() ? std::ranges::all_of(addition.at, is_constant)
                                 : std::ranges::equal(addition.at, order.elements, is_element));
  });
}

}  // namespace thallo
