#include "core/backend/interpreter/evaluate.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "core/backend/with_type.h"
#include "core/base/error.h"
#include "core/kernel/arguments.h"
#include "core/kernel/memory_type.h"
#include "core/kernel/vector_layout.h"

namespace thallo {
namespace {

// Holds every value as a double, including indices and booleans; integers are exact up to 2^53.
class BodyInterpreter {
 public:
  BodyInterpreter(const KernelProgram& program, const KernelCode& code, const CodeBody& body,
                  const InterpreterMemory& memory, std::vector<double>& reductions)
      : program_(program),
        layout_(program),
        code_(code),
        body_(body),
        memory_(memory),
        reductions_(reductions) {
    values_.resize(body.values.size());
    for (std::size_t i = 0; i < body.values.size(); ++i) {
      if (body.values[i].kind == InstructionKind::Constant) values_[i] = body.values[i].constant;
    }
  }

  void run() {
    for_each_point(body_.extents, body_.coordinates, [this] { block(body_.block); });
  }
  double value(ValueId id) const { return values_[id.index()]; }

 private:
  std::int64_t integer(ValueId id) const { return static_cast<std::int64_t>(value(id)); }
  void set(ValueId id, double v) { values_[id.index()] = v; }

  template <class Body>
  void for_each_point(const std::vector<DimId>& dims, const std::vector<ValueId>& coordinates,
                      Body body) {
    std::vector<std::int64_t> extents;
    for (const DimId dim : dims) {
      extents.push_back(memory_.extent(dim));
      if (extents.back() == 0) return;
    }
    std::vector<std::int64_t> point(dims.size(), 0);
    for (;;) {
      for (std::size_t i = 0; i < point.size(); ++i)
        set(coordinates[i], static_cast<double>(point[i]));
      body();
      std::size_t i = 0;
      while (i < point.size() && ++point[i] == extents[i]) point[i++] = 0;
      if (i == point.size()) return;
    }
  }
  template <class Body>
  void for_each_point(const LoopItem& loop, Body body) {
    if (!loop.begin.valid()) {
      for_each_point(loop.extents, loop.coordinates, body);
      return;
    }
    for (std::int64_t i = integer(loop.begin); i < integer(loop.end); ++i) {
      set(loop.coordinates.front(), static_cast<double>(i));
      body();
    }
  }

  // Returns the scalar of a field at an element.
  double& scalar(FieldId field, ValueId element, int channel) {
    const std::span<double> data = memory_.field(field);
    const ChannelPlace place = layout_.place(field, channel);
    std::int64_t i = place.of(element.valid() ? integer(element) : 0);
    if (place.chunk.valid()) i += memory_.chunk_offset(place.chunk);
    THALLO_ASSERT(i >= 0 && static_cast<std::size_t>(i) < data.size(), "{}: {}[{}] of {}",
                  code_.label, program_.field(field).name, i, data.size());
    return data[static_cast<std::size_t>(i)];
  }

  // Memory of the interpreter holds doubles. This rounds a value to the type in which other
  // backends store the field.
  double as_stored(FieldId field, double v) const {
    return with_type(memory_type(program_, field, Precision::Double),
                     [v]<class T>(T) { return static_cast<double>(static_cast<T>(v)); });
  }

  double compute(const Instruction& v) {
    switch (v.kind) {
      case InstructionKind::Constant:
      case InstructionKind::Coordinate: break;
      case InstructionKind::Affine: {
        std::int64_t result = v.offset;
        for (std::size_t i = 0; i < v.operands.size(); ++i)
          result += v.coefficients[i] * integer(v.operands[i]);
        return static_cast<double>(result);
      }
      case InstructionKind::Element: {
        std::int64_t result = 0;
        for (std::size_t i = v.operands.size(); i-- > 0;) {
          result = result * memory_.extent(v.dims[i]) + integer(v.operands[i]);
        }
        return static_cast<double>(result);
      }
      case InstructionKind::MapLoad: {
        if (v.operands.size() > 1 && value(v.operands[1]) == 0) return -1;
        const std::span<const std::int32_t> map = memory_.map(v.map);
        const auto outputs = static_cast<std::int64_t>(program_.maps[v.map.index()].out.size());
        const std::int64_t i = integer(v.operands[0]) * outputs + v.output;
        THALLO_ASSERT(i >= 0 && static_cast<std::size_t>(i) < map.size(), "{}: {}[{}] of {}",
                      code_.label, program_.maps[v.map.index()].name, i, map.size());
        return map[static_cast<std::size_t>(i)];
      }
      case InstructionKind::InRange: {
        const std::int64_t i = integer(v.operands[0]);
        return i >= 0 && i < memory_.extent(v.dims[0]) ? 1 : 0;
      }
      case InstructionKind::Load:
        if (v.operands.size() > 1 && value(v.operands[1]) == 0) return 0;
        return scalar(v.field, v.operands.empty() ? ValueId() : v.operands[0], v.channel);
      case InstructionKind::ToReal: return value(v.operands[0]);
      case InstructionKind::Operation: return operation(v);
      case InstructionKind::Sample: return sample(v);
    }
    THALLO_UNREACHABLE();
  }

  double operation(const Instruction& v) const {
    if (v.op == Op::Add) {
      double result = 0;
      for (const ValueId operand : v.operands) result += value(operand);
      return result;
    }
    if (v.op == Op::Mul) {
      double result = 1;
      for (const ValueId operand : v.operands) result *= value(operand);
      return result;
    }
    if (v.op == Op::PowI) return evaluate_powi(value(v.operands[0]), v.exponent);
    const auto operand = [&](std::size_t i) {
      return i < v.operands.size() ? value(v.operands[i]) : 0;
    };
    return evaluate(v.op, operand(0), operand(1), operand(2));
  }

  // Returns the scalar of a texel; absent outside the image.
  std::optional<double> texel(const Instruction& v, int channel, double column, double row,
                              double layer) const {
    const double at[] = {column, row, layer};
    std::int64_t element = 0;
    for (std::size_t i = v.dims.size(); i-- > 0;) {
      const std::int64_t extent = memory_.extent(v.dims[i]);
      if (!(at[i] >= 0 && at[i] < static_cast<double>(extent))) return std::nullopt;
      element = element * extent + static_cast<std::int64_t>(at[i]);
    }
    const std::int64_t i = layout_.place(v.field, channel).of(element);
    return memory_.field(v.field)[static_cast<std::size_t>(i)];
  }

  double sample(const Instruction& v) {
    const double x = value(v.operands[0]);
    const double y = value(v.operands[1]);
    const double x0 = std::floor(x);
    const double y0 = std::floor(y);
    const double u = std::isinf(x) ? 0 : x - x0;
    const double w = std::isinf(y) ? 0 : y - y0;
    if (v.dims.size() == 3) return sample_layer(v, x0, y0, u, w);
    const auto at = [&](double column, double row) {
      return texel(v, v.channel, column, row, 0).value_or(0);
    };
    const auto row = [&](double r) {
      return u == 0 ? at(x0, r) : (1 - u) * at(x0, r) + u * at(x0 + 1, r);
    };
    return w == 0 ? row(y0) : (1 - w) * row(y0) + w * row(y0 + 1);
  }

  // Returns the weighted mean of the valid texels, first along each of two rows and then between
  // the rows. Texels outside the image, and those with -infinity in channel 0, are not valid. The
  // result is -infinity if none is valid.
  double sample_layer(const Instruction& v, double x0, double y0, double u, double w) {
    constexpr double Nothing = -std::numeric_limits<double>::infinity();
    const double layer = value(v.operands[2]);
    if (std::isnan(u) || std::isnan(w) || std::isnan(layer)) return u + w + layer;
    double sum = 0, weight = 0;
    for (const auto& [row, row_weight] : {std::pair(y0, 1 - w), std::pair(y0 + 1, w)}) {
      double row_sum = 0, texel_weights = 0;
      for (const auto& [column, texel_weight] : {std::pair(x0, 1 - u), std::pair(x0 + 1, u)}) {
        if (texel_weight == 0 || texel(v, 0, column, row, layer).value_or(Nothing) == Nothing)
          continue;
        row_sum += texel_weight * *texel(v, v.channel, column, row, layer);
        texel_weights += texel_weight;
      }
      if (row_weight == 0 || texel_weights == 0) continue;
      sum += row_weight * row_sum / texel_weights;
      weight += row_weight;
    }
    return weight == 0 ? Nothing : sum / weight;
  }

  void block(const CodeBlock& items) {
    for (const CodeItem& item : items)
      std::visit([this](const auto& node) { execute(node); }, item.node);
  }
  void execute(const Let& let) { set(let.value, compute(body_[let.value])); }
  void execute(const StoreItem& s) {
    scalar(s.field, s.element, s.channel) = as_stored(s.field, value(s.value));
  }
  void execute(const AddItem& s) {
    if (s.guard.valid() && value(s.guard) == 0) return;
    scalar(s.field, s.element, s.channel) += value(s.value);
  }
  void execute(const MatrixAddItem& s) {
    if (s.guard.valid() && value(s.guard) == 0) return;
    const auto position = [&](const MatrixRow& row) {
      return memory_.unknown_offset(row.unknown) +
             layout_.column(row.unknown, row.channel).of(integer(row.element));
    };
    const std::int64_t i = position(s.row) * memory_.num_matrix_rows + position(s.col);
    const std::span<double> matrix = memory_.field(s.matrix);
    THALLO_ASSERT(i >= 0 && static_cast<std::size_t>(i) < matrix.size(), "{}: matrix entry {}",
                  code_.label, i);
    matrix[static_cast<std::size_t>(i)] += value(s.value);
  }
  void execute(const ReduceItem& s) {
    double& into = reductions_[s.reduction];
    into = code_.reductions[s.reduction].op == ReduceOp::Sum ? into + value(s.value)
                                                             : std::max(into, value(s.value));
  }
  void execute(const LoopItem& loop) {
    for (const Accumulator& a : loop.accumulators) set(a.sum, 0);
    for_each_point(loop, [&] {
      block(loop.body);
      for (const Accumulator& a : loop.accumulators) {
        set(a.sum, a.op == ReduceOp::Sum ? value(a.sum) + value(a.addend)
                                         : std::max(value(a.sum), value(a.addend)));
      }
    });
  }
  void execute(const IfItem& branch) {
    if (value(branch.condition) != 0) {
      block(branch.body);
    } else {
      for (const ValueId escaped : branch.escapes) set(escaped, 0);
    }
  }

  const KernelProgram& program_;
  VectorLayout layout_;
  const KernelCode& code_;
  const CodeBody& body_;
  const InterpreterMemory& memory_;
  std::vector<double>& reductions_;
  std::vector<double> values_;
};

}  // namespace

void interpret(const KernelProgram& program, const KernelCode& code,
               const InterpreterMemory& memory) {
  std::vector<double> reductions(code.reductions.size(), 0);
  for (const CodeBody& section : code.sections) {
    BodyInterpreter(program, code, section, memory, reductions).run();
  }
  for (std::size_t i = 0; i < reductions.size(); ++i) {
    double& slot = memory.field(program.state)[static_cast<std::size_t>(code.reductions[i].slot)];
    slot = code.reductions[i].op == ReduceOp::Sum ? slot + reductions[i]
                                                  : std::max(slot, reductions[i]);
  }
  if (code.has_epilogue) {
    std::vector<double> none;
    BodyInterpreter(program, code, code.epilogue, memory, none).run();
  }
}

}  // namespace thallo
