#pragma once

// Index expressions. A multi-index addresses one element of a field and has one *component* per
// dimension, first dimension fastest. A component is an integer-affine combination of atoms plus a
// constant; an atom is a domain (loop variable) or one output coordinate of a sparse map applied to
// another multi-index, so maps nest: `P(v0(e) + 1)`. Everything is interned: equal ids mean equal
// index expressions. Term order inside a component follows the content hash of the atoms, so it
// does not depend on the order in which expressions were built.

#include <cstdint>
#include <deque>
#include <map>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/base/hash.h"
#include "core/ir/ids.h"

namespace thallo {

struct Domain {
  DimId dim;
  std::string name;
  // Invalid for a domain over the whole dim. Otherwise the domain is a *run*: it goes over the part
  // of a compressed list that belongs to the element `at`, offsets(n) <= domain < offsets(n + 1)
  // where n is the linear position of `at`. Only Sums have such domains.
  MapId offsets;
  IndexId at;

  bool is_run() const { return offsets.valid(); }
};

struct AffineTerm {
  AtomId atom;
  std::int64_t coefficient = 1;
  friend bool operator==(const AffineTerm&, const AffineTerm&) = default;
};

// constant + sum of coefficient * atom; terms have distinct atoms and non-zero coefficients.
struct Affine {
  std::int64_t constant = 0;
  std::vector<AffineTerm> terms;
  bool is_constant() const { return terms.empty(); }
  friend bool operator==(const Affine&, const Affine&) = default;
};

using MultiIndex = std::vector<Affine>;

struct Atom {
  DomainId domain;   // valid for a domain atom
  MapId map;         // valid for a map lookup
  int output = 0;    // which coordinate of the map's value
  IndexId argument;  // where the map is read
  bool is_domain() const { return domain.valid(); }
};

using DomainSubstitution = std::map<DomainId, Affine>;

class IndexTable {
 public:
  // A fresh loop variable; two calls with equal arguments give two different domains.
  DomainId add_domain(DimId dim, std::string name);
  DomainId add_run(DimId dim, std::string name, MapId offsets, IndexId at);
  const Domain& domain(DomainId id) const { return domains_[id.value()]; }
  // Returns a replacement for a bound domain k: the first of k, k', k'', ... that is not taken. The
  // twins k', k'', ... are made once and reused by later calls, so that expressions renamed alike
  // stay equal.
  DomainId rename(DomainId domain, std::span<const DomainId> taken);
  // Returns the domain k for each of k, k', k'', ...
  DomainId original(DomainId domain) const;
  std::size_t num_domains() const { return domains_.size(); }

  // Components.
  Affine component(DomainId domain);
  Affine component(MapId map, int output, IndexId argument);
  static Affine component(std::int64_t constant) { return Affine{constant, {}}; }
  // From now on component(map, output, argument) returns `value`: inside a run, the result of a
  // lookup may be known.
  void define(MapId map, int output, IndexId argument, Affine value);
  Affine add(const Affine& a, const Affine& b, std::int64_t scale_b = 1) const;
  static Affine scale(const Affine& a, std::int64_t factor);

  // Multi-indices.
  IndexId intern(MultiIndex index);
  IndexId intern(std::span<const DomainId> domains);
  const MultiIndex& operator[](IndexId id) const { return indices_[id.value()]; }
  const Atom& atom(AtomId id) const { return atoms_[id.value()]; }

  // Returns the domains that occur anywhere in an index, including arguments of maps; ascending,
  // each once.
  const std::vector<DomainId>& domains_of(IndexId id) const { return index_domains_[id.value()]; }
  std::vector<DomainId> domains_of(const Affine& component) const;

  // Returns the domain if the component is exactly one domain (coefficient 1, constant 0), else
  // invalid.
  DomainId as_domain(const Affine& component) const;
  // Returns the atom if the component is exactly one map lookup (coefficient 1, constant 0), else
  // invalid.
  AtomId as_map_lookup(const Affine& component) const;

  // Replaces domains by components everywhere, inside map arguments too.
  Affine substitute(const Affine& component, const DomainSubstitution& substitution);
  IndexId substitute(IndexId id, const DomainSubstitution& substitution);

  Hash128 hash(IndexId id) const { return index_hashes_[id.value()]; }
  Hash128 hash(AtomId id) const { return atom_hashes_[id.value()]; }

  // The current size of the table. rewind() removes everything added since, and its ids are used
  // again.
  struct Mark {
    std::size_t domains = 0, atoms = 0, indices = 0;
  };
  Mark mark() const { return {domains_.size(), atoms_.size(), indices_.size()}; }
  void rewind(const Mark& mark);

 private:
  AtomId intern(const Atom& atom);

  std::vector<Domain> domains_;
  std::map<DomainId, DomainId> twins_;      // k -> k', k' -> k''
  std::map<DomainId, DomainId> originals_;  // k' -> k, k'' -> k
  std::vector<Atom> atoms_;
  std::vector<Hash128> atom_hashes_;
  std::unordered_map<Hash128, AtomId> atom_ids_;
  std::map<AtomId, Affine> known_lookups_;
  std::deque<MultiIndex> indices_;  // deque: references stay valid while indices are added
  std::vector<Hash128> index_hashes_;
  std::deque<std::vector<DomainId>> index_domains_;
  std::unordered_map<Hash128, IndexId> index_ids_;
};

// Returns the union of two ascending lists, ascending.
std::vector<DomainId> merge_domains(std::span<const DomainId> a, std::span<const DomainId> b);

}  // namespace thallo
