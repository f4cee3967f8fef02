#include "core/ir/index.h"

#include <algorithm>

#include "core/base/error.h"

namespace thallo {

DomainId IndexTable::add_domain(DimId dim, std::string name) {
  return add_run(dim, std::move(name), {}, {});
}

DomainId IndexTable::add_run(DimId dim, std::string name, MapId offsets, IndexId at) {
  domains_.push_back({dim, std::move(name), offsets, at});
  return DomainId(static_cast<std::uint32_t>(domains_.size() - 1));
}

DomainId IndexTable::rename(DomainId domain, std::span<const DomainId> taken) {
  while (std::ranges::find(taken, domain) != taken.end()) {
    const auto [twin, is_new] = twins_.try_emplace(domain);
    if (is_new) {
      const Domain named = domains_[domain.value()];
      twin->second = add_run(named.dim, named.name + "'", named.offsets, named.at);
      originals_[twin->second] = original(domain);
    }
    domain = twin->second;
  }
  return domain;
}

DomainId IndexTable::original(DomainId domain) const {
  const auto found = originals_.find(domain);
  return found == originals_.end() ? domain : found->second;
}

AtomId IndexTable::intern(const Atom& atom) {
  Hasher hasher;
  if (atom.is_domain()) {
    hasher.update(std::string_view("domain")).update(atom.domain.value());
  } else {
    hasher.update(std::string_view("map"))
        .update(atom.map.value())
        .update(atom.output)
        .update(hash(atom.argument));
  }
  const Hash128 key = hasher.finish();
  const auto [it, inserted] =
      atom_ids_.try_emplace(key, AtomId(static_cast<std::uint32_t>(atoms_.size())));
  if (inserted) {
    atoms_.push_back(atom);
    atom_hashes_.push_back(key);
  }
  return it->second;
}

void IndexTable::rewind(const Mark& mark) {
  const auto is_later = [&](DomainId domain) { return domain.value() >= mark.domains; };
  std::erase_if(twins_, [&](const auto& twin) { return is_later(twin.second); });
  std::erase_if(originals_, [&](const auto& original) { return is_later(original.first); });
  std::erase_if(known_lookups_,
                [&](const auto& known) { return known.first.value() >= mark.atoms; });
  for (std::size_t i = mark.atoms; i < atoms_.size(); ++i) atom_ids_.erase(atom_hashes_[i]);
  for (std::size_t i = mark.indices; i < indices_.size(); ++i) index_ids_.erase(index_hashes_[i]);
  domains_.resize(mark.domains);
  atoms_.resize(mark.atoms);
  atom_hashes_.resize(mark.atoms);
  indices_.resize(mark.indices);
  index_hashes_.resize(mark.indices);
  index_domains_.resize(mark.indices);
}

Affine IndexTable::component(DomainId domain) {
  THALLO_ASSERT(domain.valid() && domain.value() < domains_.size());
  return Affine{0, {{intern(Atom{.domain = domain, .output = 0}), 1}}};
}

Affine IndexTable::component(MapId map, int output, IndexId argument) {
  THALLO_ASSERT(map.valid() && argument.valid());
  const AtomId lookup = intern(Atom{.map = map, .output = output, .argument = argument});
  const auto known = known_lookups_.find(lookup);
  return known == known_lookups_.end() ? Affine{0, {{lookup, 1}}} : known->second;
}

void IndexTable::define(MapId map, int output, IndexId argument, Affine value) {
  const AtomId lookup = intern(Atom{.map = map, .output = output, .argument = argument});
  known_lookups_.insert_or_assign(lookup, std::move(value));
}

Affine IndexTable::add(const Affine& a, const Affine& b, std::int64_t scale_b) const {
  Affine result{a.constant + scale_b * b.constant, a.terms};
  for (const AffineTerm& term : b.terms) {
    const auto same = std::ranges::find(result.terms, term.atom, &AffineTerm::atom);
    if (same == result.terms.end()) {
      result.terms.push_back({term.atom, scale_b * term.coefficient});
    } else {
      same->coefficient += scale_b * term.coefficient;
    }
  }
  std::erase_if(result.terms, [](const AffineTerm& term) { return term.coefficient == 0; });
  std::ranges::sort(result.terms, [this](const AffineTerm& x, const AffineTerm& y) {
    return hash(x.atom) < hash(y.atom);
  });
  return result;
}

Affine IndexTable::scale(const Affine& a, std::int64_t factor) {
  if (factor == 0) return {};
  Affine result = a;
  result.constant *= factor;
  for (AffineTerm& term : result.terms) term.coefficient *= factor;
  return result;
}

IndexId IndexTable::intern(MultiIndex index) {
  Hasher hasher;
  hasher.update(index.size());
  std::vector<DomainId> domains;
  for (const Affine& component : index) {
    hasher.update(component.constant).update(component.terms.size());
    for (const AffineTerm& term : component.terms)
      hasher.update(hash(term.atom)).update(term.coefficient);
    domains = merge_domains(domains, domains_of(component));
  }
  const Hash128 key = hasher.finish();
  const auto [it, inserted] =
      index_ids_.try_emplace(key, IndexId(static_cast<std::uint32_t>(indices_.size())));
  if (inserted) {
    indices_.push_back(std::move(index));
    index_hashes_.push_back(key);
    index_domains_.push_back(std::move(domains));
  }
  return it->second;
}

IndexId IndexTable::intern(std::span<const DomainId> domains) {
  MultiIndex index;
  index.reserve(domains.size());
  for (const DomainId domain : domains) index.push_back(component(domain));
  return intern(std::move(index));
}

std::vector<DomainId> IndexTable::domains_of(const Affine& component) const {
  std::vector<DomainId> result;
  for (const AffineTerm& term : component.terms) {
    const Atom& a = atom(term.atom);
    result = a.is_domain() ? merge_domains(result, std::span(&a.domain, 1))
                           : merge_domains(result, domains_of(a.argument));
  }
  return result;
}

DomainId IndexTable::as_domain(const Affine& component) const {
  if (component.constant != 0 || component.terms.size() != 1 || component.terms[0].coefficient != 1)
    return {};
  return atom(component.terms[0].atom).domain;
}

AtomId IndexTable::as_map_lookup(const Affine& component) const {
  if (component.constant != 0 || component.terms.size() != 1 || component.terms[0].coefficient != 1)
    return {};
  return atom(component.terms[0].atom).is_domain() ? AtomId() : component.terms[0].atom;
}

Affine IndexTable::substitute(const Affine& component, const DomainSubstitution& substitution) {
  Affine result{component.constant, {}};
  for (const AffineTerm& term : component.terms) {
    const Atom a = atom(term.atom);
    Affine replacement;
    if (!a.is_domain()) {
      replacement = this->component(a.map, a.output, substitute(a.argument, substitution));
    } else if (const auto found = substitution.find(a.domain); found != substitution.end()) {
      replacement = found->second;
    } else {
      replacement = Affine{0, {{term.atom, 1}}};
    }
    result = add(result, replacement, term.coefficient);
  }
  return result;
}

IndexId IndexTable::substitute(IndexId id, const DomainSubstitution& substitution) {
  const bool touched =
      std::ranges::any_of(domains_of(id), [&](DomainId d) { return substitution.contains(d); });
  if (!touched) return id;
  const MultiIndex original = (*this)[id];
  MultiIndex result;
  result.reserve(original.size());
  for (const Affine& component : original) result.push_back(substitute(component, substitution));
  return intern(std::move(result));
}

std::vector<DomainId> merge_domains(std::span<const DomainId> a, std::span<const DomainId> b) {
  std::vector<DomainId> result;
  result.reserve(a.size() + b.size());
  std::ranges::set_union(a, b, std::back_inserter(result));
  return result;
}

}  // namespace thallo
