// Kernels built by hand, for tests of what runs after code generation: emitters, feature counts,
// backends. A HandDeclarations owns dims, fields and maps; a HandBody collects values and
// statements; finish_kernel() works out the slots and what is written.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/kernel/code.h"
#include "core/kernel/program.h"

namespace thallo::test {

struct HandDeclarations {
  HandDeclarations();  // with the state field and its buffer

  DimId dim(const std::string& name);
  DomainId domain(DimId dim);
  // An energy field (unknown, array, param) or, for FieldKind::Buffer, one with a buffer of its
  // own.
  FieldId field(const std::string& name, std::vector<DimId> dims, int channels = 1,
                FieldKind kind = FieldKind::Array, ScalarType type = ScalarType::Working,
                BufferKind buffer = BufferKind::Vector);
  FieldId param(const std::string& name) { return field(name, {}, 1, FieldKind::Param); }
  MapId map(const std::string& name, std::vector<DimId> in, std::vector<DimId> out);

  KernelProgram program;
};

class HandBody {
 public:
  explicit HandBody(HandDeclarations& hand, std::vector<DomainId> domains = {});

  // Values; each is computed in the block that is open.
  ValueId constant(double value);
  ValueId coordinate(DomainId domain);
  ValueId affine(std::vector<std::pair<std::int64_t, ValueId>> terms, std::int64_t offset = 0);
  ValueId element(std::vector<DimId> dims, std::vector<ValueId> components);
  ValueId map_load(MapId map, ValueId element, int output = 0);
  ValueId in_range(ValueId component, DimId dim);
  ValueId load(FieldId field, ValueId element = {}, int channel = 0, ValueId guard = {});
  ValueId state(StateSlot slot);
  ValueId to_real(ValueId index);
  ValueId op(Op op, std::vector<ValueId> operands);
  ValueId powi(ValueId base, int exponent);
  ValueId sample(FieldId image, ValueId x, ValueId y, int channel = 0);

  // Statements.
  void store(FieldId field, ValueId element, ValueId value, int channel = 0);
  void set_state(StateSlot slot, ValueId value);
  void add(FieldId field, ValueId element, ValueId value, int channel = 0, ValueId guard = {});
  void matrix_add(FieldId matrix, MatrixRow row, MatrixRow col, ValueId value, ValueId guard = {});
  void reduce(std::size_t reduction, ValueId value);
  void begin_if(ValueId condition);
  void end_if(std::vector<ValueId> escapes = {});
  // Returns the coordinates.
  std::vector<ValueId> begin_loop(std::vector<DomainId> domains);
  // Ends the loop; returns the sums of the addends over it.
  std::vector<ValueId> end_loop(std::vector<ValueId> addends = {});

  CodeBody body() const;

 private:
  ValueId let(Instruction instruction);
  bool is_scalar(ValueId value) const;
  CodeBlock& open() { return stack_.back().block; }

  struct Open {
    CodeBlock block;
    IfItem branch;
    LoopItem loop;
  };
  HandDeclarations& hand_;
  CodeBody body_;
  std::vector<Open> stack_;
};

KernelCode finish_kernel(const HandDeclarations& hand, std::string role,
                         std::vector<HandBody> sections, std::vector<Reduction> reductions = {});
void set_epilogue(const HandDeclarations& hand, KernelCode& code, const HandBody& epilogue,
                  ValueId loop_condition = {});

}  // namespace thallo::test
