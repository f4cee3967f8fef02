// The values of a body and their places: every value goes into the outermost scope that defines all
// the loop variables it depends on, once per scope. This class knows constants, loop variables and
// index arithmetic; BodyBuilder adds expressions and statements. Private to code generation.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "core/kernel/codegen/scope.h"

namespace thallo {

// Appends the value unless it is there.
void add_unique(std::vector<ValueId>& values, ValueId value);

class ValuePlacer {
 public:
  const CodeBody& body() const { return body_; }
  CodeBody& body() { return body_; }
  Scope& root() { return *root_; }

  // Booleans whose conjunction must hold for a load (or map lookup) to touch memory; empty: it is
  // always safe.
  const std::vector<ValueId>& guard_atoms(ValueId value) const;
  // All atoms hold.
  ValueId conjunction(Scope& scope, const std::vector<ValueId>& atoms);

 protected:
  ~ValuePlacer() = default;
  // All must outlive the placer; `graph` has the expressions and indices.
  ValuePlacer(const KernelProgram& program, const ExprGraph& graph, CodeBody& body);

  // The outermost of `scope` and those around it in which all of `domains` are bound.
  Scope& scope_of(Scope& scope, const std::vector<DomainId>& domains);
  ValueId add(Scope& scope, Instruction instruction);
  // The value that `scope` has for this kind of instruction and key, which is made if it has none.
  ValueId add_once(Scope& scope, Instruction instruction, std::vector<std::int64_t> key);
  ValueId add_coordinate(DomainId domain);
  // A loop inside of `scope`, empty and not yet among its loops.
  std::unique_ptr<ScopeLoop> make_loop(Scope& scope, const std::vector<DomainId>& domains);

  ValueId constant(double value);
  // Index arithmetic. `dims` are those of the field or map that the index is of.
  ValueId component(Scope& scope, const Affine& affine);
  ValueId in_range(Scope& scope, const Affine& affine, DimId dim);
  ValueId element(Scope& scope, const std::vector<DimId>& dims, IndexId index);  // invalid: rank 0
  // The tests that an index is inside, as atoms; none where that is known.
  std::vector<ValueId> bounds(Scope& scope, const std::vector<DimId>& dims, IndexId index);

  const KernelProgram& program_;
  const ExprGraph& graph_;
  CodeBody& body_;
  std::unique_ptr<Scope> root_;
  std::map<DomainId, ValueId> coordinates_;  // of the domains bound in scopes that are open
  std::map<ValueId, std::vector<ValueId>> guards_;
  int line_ = 0;  // of the expression whose values are added (Instruction::line)

 private:
  // A loop variable or an entry of a sparse map.
  ValueId variable(Scope& scope, AtomId id);
};

}  // namespace thallo
