#include "tests/support/hand_code.h"

#include <algorithm>
#include <variant>

namespace thallo::test {

HandDeclarations::HandDeclarations() {
  program.name = "hand";
  program.state =
      field("state", {}, num_state_slots, FieldKind::Buffer, ScalarType::Double, BufferKind::State);
}

DimId HandDeclarations::dim(const std::string& name) {
  program.dims.push_back({name, -1});
  return DimId(program.dims.size() - 1);
}

DomainId HandDeclarations::domain(DimId dim) {
  return program.graph.indices().add_domain(dim, program.dims[dim.index()].name);
}

FieldId HandDeclarations::field(const std::string& name, std::vector<DimId> dims, int channels,
                                FieldKind kind, ScalarType type, BufferKind buffer) {
  const FieldId id(program.fields.size());
  program.fields.push_back({name, kind, type, std::move(dims), channels, -1, {}});
  if (kind == FieldKind::Unknown) program.unknowns.push_back(id);
  if (kind == FieldKind::Buffer) {
    program.buffers.push_back({.name = name, .kind = buffer, .type = type, .fields = {id}});
  }
  return id;
}

MapId HandDeclarations::map(const std::string& name, std::vector<DimId> in,
                            std::vector<DimId> out) {
  program.maps.push_back({name, std::move(in), std::move(out), -1, false, {}});
  return MapId(program.maps.size() - 1);
}

HandBody::HandBody(HandDeclarations& hand, std::vector<DomainId> domains) : hand_(hand), stack_(1) {
  body_.domains = std::move(domains);
  for (const DomainId domain : body_.domains) {
    body_.extents.push_back(hand.program.graph.indices().domain(domain).dim);
    body_.coordinates.push_back(coordinate(domain));
  }
}

ValueId HandBody::let(Instruction instruction) {
  const ValueId value(body_.values.size());
  const bool is_leaf = instruction.kind == InstructionKind::Constant ||
                       instruction.kind == InstructionKind::Coordinate;
  body_.values.push_back(std::move(instruction));
  if (!is_leaf) open().push_back({Let{value}});
  return value;
}

bool HandBody::is_scalar(ValueId value) const {
  return body_.values[value.index()].type == ValueType::Scalar;
}

ValueId HandBody::constant(double value) {
  Instruction instruction;
  instruction.constant = value;
  return let(std::move(instruction));
}

ValueId HandBody::coordinate(DomainId domain) {
  for (std::size_t i = 0; i < body_.values.size(); ++i) {
    const Instruction& value = body_.values[i];
    if (value.kind == InstructionKind::Coordinate && value.domain == domain) return ValueId(i);
  }
  Instruction instruction;
  instruction.kind = InstructionKind::Coordinate;
  instruction.type = ValueType::Index;
  instruction.domain = domain;
  return let(std::move(instruction));
}

ValueId HandBody::affine(std::vector<std::pair<std::int64_t, ValueId>> terms, std::int64_t offset) {
  Instruction instruction;
  instruction.kind = InstructionKind::Affine;
  instruction.type = ValueType::Index;
  instruction.offset = offset;
  for (const auto& [coefficient, operand] : terms) {
    instruction.coefficients.push_back(coefficient);
    instruction.operands.push_back(operand);
  }
  return let(std::move(instruction));
}

ValueId HandBody::element(std::vector<DimId> dims, std::vector<ValueId> components) {
  Instruction instruction;
  instruction.kind = InstructionKind::Element;
  instruction.type = ValueType::Index;
  instruction.dims = std::move(dims);
  instruction.operands = std::move(components);
  return let(std::move(instruction));
}

ValueId HandBody::map_load(MapId map, ValueId element, int output) {
  Instruction instruction;
  instruction.kind = InstructionKind::MapLoad;
  instruction.type = ValueType::Index;
  instruction.map = map;
  instruction.output = output;
  instruction.operands = {element};
  return let(std::move(instruction));
}

ValueId HandBody::in_range(ValueId component, DimId dim) {
  Instruction instruction;
  instruction.kind = InstructionKind::InRange;
  instruction.type = ValueType::Bool;
  instruction.dims = {dim};
  instruction.operands = {component};
  return let(std::move(instruction));
}

ValueId HandBody::load(FieldId field, ValueId element, int channel, ValueId guard) {
  Instruction instruction;
  instruction.kind = InstructionKind::Load;
  const bool is_scalar =
      field == hand_.program.state || hand_.program.field(field).kind == FieldKind::Param;
  instruction.type = is_scalar ? ValueType::Scalar : ValueType::Real;
  instruction.field = field;
  instruction.channel = channel;
  if (element.valid()) instruction.operands = {element};
  if (guard.valid()) instruction.operands.push_back(guard);
  return let(std::move(instruction));
}

ValueId HandBody::state(StateSlot slot) {
  return load(hand_.program.state, {}, static_cast<int>(slot));
}

ValueId HandBody::to_real(ValueId index) {
  Instruction instruction;
  instruction.kind = InstructionKind::ToReal;
  instruction.type = ValueType::Real;
  instruction.operands = {index};
  return let(std::move(instruction));
}

ValueId HandBody::op(Op op, std::vector<ValueId> operands) {
  Instruction instruction;
  instruction.kind = InstructionKind::Operation;
  instruction.op = op;
  const bool conjunction =
      op == Op::Mul && std::all_of(operands.begin(), operands.end(), [this](ValueId operand) {
        return body_.values[operand.index()].type == ValueType::Bool;
      });
  // Conditions do not make a number Real.
  const bool scalar = std::all_of(operands.begin(), operands.end(), [this](ValueId operand) {
    return body_.values[operand.index()].type != ValueType::Real;
  });
  instruction.type = info(op).is_boolean || conjunction ? ValueType::Bool
                     : scalar                           ? ValueType::Scalar
                                                        : ValueType::Real;
  instruction.operands = std::move(operands);
  return let(std::move(instruction));
}

ValueId HandBody::powi(ValueId base, int exponent) {
  Instruction instruction;
  instruction.kind = InstructionKind::Operation;
  instruction.op = Op::PowI;
  instruction.exponent = exponent;
  instruction.type = is_scalar(base) ? ValueType::Scalar : ValueType::Real;
  instruction.operands = {base};
  return let(std::move(instruction));
}

ValueId HandBody::sample(FieldId image, ValueId x, ValueId y, int channel) {
  Instruction instruction;
  instruction.kind = InstructionKind::Sample;
  instruction.type = ValueType::Real;
  instruction.field = image;
  instruction.dims = hand_.program.field(image).dims;
  instruction.channel = channel;
  instruction.operands = {x, y};
  return let(std::move(instruction));
}

void HandBody::store(FieldId field, ValueId element, ValueId value, int channel) {
  open().push_back({StoreItem{field, element, channel, value}});
}
void HandBody::set_state(StateSlot slot, ValueId value) {
  store(hand_.program.state, {}, value, static_cast<int>(slot));
}
void HandBody::add(FieldId field, ValueId element, ValueId value, int channel, ValueId guard) {
  open().push_back({AddItem{field, element, channel, value, guard}});
}
void HandBody::matrix_add(FieldId matrix, MatrixRow row, MatrixRow col, ValueId value,
                          ValueId guard) {
  open().push_back({MatrixAddItem{matrix, row, col, value, guard}});
}
void HandBody::reduce(std::size_t reduction, ValueId value) {
  open().push_back({ReduceItem{reduction, value}});
}

void HandBody::begin_if(ValueId condition) {
  stack_.emplace_back();
  stack_.back().branch.condition = condition;
}

void HandBody::end_if(std::vector<ValueId> escapes) {
  Open closed = std::move(stack_.back());
  stack_.pop_back();
  closed.branch.body = std::move(closed.block);
  closed.branch.escapes = std::move(escapes);
  open().push_back({std::move(closed.branch)});
}

std::vector<ValueId> HandBody::begin_loop(std::vector<DomainId> domains) {
  std::vector<ValueId> coordinates;
  stack_.emplace_back();
  for (const DomainId domain : domains) {
    coordinates.push_back(coordinate(domain));
    stack_.back().loop.extents.push_back(hand_.program.graph.indices().domain(domain).dim);
  }
  stack_.back().loop.domains = std::move(domains);
  stack_.back().loop.coordinates = coordinates;
  return coordinates;
}

std::vector<ValueId> HandBody::end_loop(std::vector<ValueId> addends) {
  Open closed = std::move(stack_.back());
  stack_.pop_back();
  std::vector<ValueId> sums;
  for (const ValueId addend : addends) {
    const ValueId sum(body_.values.size());
    Instruction instruction;
    instruction.kind = InstructionKind::Operation;
    instruction.op = Op::Sum;
    instruction.type = ValueType::Real;
    body_.values.push_back(instruction);
    closed.loop.accumulators.push_back({sum, addend});
    sums.push_back(sum);
  }
  closed.loop.body = std::move(closed.block);
  open().push_back({std::move(closed.loop)});
  return sums;
}

CodeBody HandBody::body() const {
  CodeBody result = body_;
  result.block = stack_.front().block;
  return result;
}

namespace {

template <class T>
void add_once(std::vector<T>& list, T value) {
  if (std::find(list.begin(), list.end(), value) == list.end()) list.push_back(value);
}

class SlotFinder {
 public:
  SlotFinder(const KernelProgram& program, KernelCode& code) : program_(program), code_(code) {}

  void visit(const CodeBody& body) {
    for (const DimId dim : body.extents) add_once(code_.slots.dims, dim);
    for (const Instruction& instruction : body.values) {
      if (instruction.field.valid()) field(instruction.field);
      if (instruction.map.valid()) add_once(code_.slots.maps, instruction.map);
      for (const DimId dim : instruction.dims) add_once(code_.slots.dims, dim);
    }
    visit(body.block);
  }

 private:
  void field(FieldId id) {
    if (id != program_.state) add_once(code_.slots.fields, id);
  }
  void visit(const CodeBlock& block) {
    for (const CodeItem& item : block) {
      if (const auto* store = std::get_if<StoreItem>(&item.node)) {
        field(store->field);
        add_once(code_.written, store->field);
      } else if (const auto* add = std::get_if<AddItem>(&item.node)) {
        field(add->field);
        add_once(code_.scattered, add->field);
      } else if (const auto* matrix_add = std::get_if<MatrixAddItem>(&item.node)) {
        field(matrix_add->matrix);
        add_once(code_.scattered, matrix_add->matrix);
        add_once(code_.slots.offsets, matrix_add->row.unknown);
        add_once(code_.slots.offsets, matrix_add->col.unknown);
        code_.slots.needs_num_unknowns = true;
      } else if (const auto* loop = std::get_if<LoopItem>(&item.node)) {
        for (const DomainId domain : loop->domains) {
          add_once(code_.slots.dims, program_.graph.indices().domain(domain).dim);
        }
        visit(loop->body);
      } else if (const auto* branch = std::get_if<IfItem>(&item.node)) {
        visit(branch->body);
      }
    }
  }

  const KernelProgram& program_;
  KernelCode& code_;
};

}  // namespace

KernelCode finish_kernel(const HandDeclarations& hand, std::string role,
                         std::vector<HandBody> sections, std::vector<Reduction> reductions) {
  KernelCode code;
  code.role = std::move(role);
  code.label = code.role;
  code.reductions = std::move(reductions);
  for (const HandBody& section : sections) {
    code.sections.push_back(section.body());
    SlotFinder(hand.program, code).visit(code.sections.back());
  }
  return code;
}

void set_epilogue(const HandDeclarations& hand, KernelCode& code, const HandBody& epilogue,
                  ValueId loop_condition) {
  code.epilogue = epilogue.body();
  code.has_epilogue = true;
  code.loop_condition = loop_condition;
  SlotFinder(hand.program, code).visit(code.epilogue);
}

}  // namespace thallo::test
