#include "core/kernel/emit/shells.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>
#include <set>
#include <variant>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/kernel/code.h"
#include "core/kernel/emit/body.h"
#include "core/kernel/vector_layout.h"

namespace thallo {
namespace {

// Points do not depend on each other. Where compilers can make use of that, the loop over the first
// domain says so ("omp simd"): several points are computed at once. A stencil reads at neighbors,
// which do not exist at the border; the loop is over the points inside, where they do, and another
// one computes those at the border.
//
// Which sections compilers can vectorize well, several points at once.
//
// Not those whose points add to memory, which may be the same for several points, nor those with
// loops inside. What stands in branches must be computed at every point and selected afterwards, so
// that branches may neither store nor read what is not there at some point. And where most of the
// reads are gathers at places that maps name, or elements are stored of as many scalars as no
// vector instruction takes apart, vectors are slower than points one by one.

// The points at which all guards hold that ask whether a coordinate plus a constant is in its own
// domain: before <= coordinate < extent - behind, for each domain.
struct Inside {
  struct Margin {
    std::int64_t before = 0;
    std::int64_t behind = 0;
  };
  std::vector<Margin> margins;  // one per domain
  std::vector<ValueId> guards;
};

// A coordinate of the section's points plus a constant, which indexes the coordinate's own dim.
struct Place {
  std::size_t domain = 0;
  std::int64_t offset = 0;
};

std::optional<Place> place_of(const CodeBody& body, ValueId index, DimId dim) {
  Place place;
  if (const Instruction& affine = body[index]; affine.kind == InstructionKind::Affine) {
    if (affine.operands.size() != 1 || affine.coefficients[0] != 1) return {};
    place.offset = affine.offset;
    index = affine.operands[0];
  }
  const auto found = std::ranges::find(body.coordinates, index);
  if (found == body.coordinates.end()) return {};
  place.domain = static_cast<std::size_t>(found - body.coordinates.begin());
  if (body.extents[place.domain] != dim) return {};
  return place;
}

Inside inside_of(const CodeBody& body) {
  Inside inside;
  inside.margins.resize(body.domains.size());
  for (std::size_t v = 0; v < body.values.size(); ++v) {
    const Instruction& guard = body.values[v];
    if (guard.kind != InstructionKind::InRange) continue;
    const auto place = place_of(body, guard.operands[0], guard.dims[0]);
    if (!place) continue;
    Inside::Margin& margin = inside.margins[place->domain];
    margin.before = std::max(margin.before, -place->offset);
    margin.behind = std::max(margin.behind, place->offset);
    inside.guards.push_back(ValueId(v));
  }
  return inside;
}

class Vectorization {
 public:
  Vectorization(const KernelProgram& program, const CodeBody& body, const Inside& inside)
      : body_(body), layout_(program), inside_(inside) {}

  bool is_possible() const { return is_possible(body_.block, false); }

  bool pays() const {
    const auto gathers = std::ranges::count_if(body_.values, [this](const Instruction& value) {
      return value.kind == InstructionKind::Load && !value.operands.empty() &&
             comes_from_map(value.operands[0]);
    });
    const auto reads = std::ranges::count(body_.values, InstructionKind::Load, &Instruction::kind);
    return 2 * gathers <= reads && stores_pay(body_.block);
  }

 private:
  bool is_possible(const CodeBlock& block, bool in_branch) const {
    return std::ranges::all_of(block, [&](const CodeItem& item) {
      if (const auto* let = std::get_if<Let>(&item.node))
        return !in_branch || is_everywhere(body_[let->value]);
      if (const auto* branch = std::get_if<IfItem>(&item.node))
        return is_possible(branch->body, true);
      return std::holds_alternative<ReduceItem>(item.node) ||
             (std::holds_alternative<StoreItem>(item.node) && !in_branch);
    });
  }

  // True if there is memory to read from at every point.
  bool is_everywhere(const Instruction& instruction) const {
    if (instruction.kind == InstructionKind::MapLoad) return false;
    if (instruction.kind != InstructionKind::Load || instruction.operands.size() != 1) return true;
    const Instruction& element = body_[instruction.operands[0]];
    if (element.kind != InstructionKind::Element) return false;
    for (std::size_t k = 0; k < element.operands.size(); ++k) {
      const auto place = place_of(body_, element.operands[k], element.dims[k]);
      if (!place) return false;
      const auto [before, behind] = inside_.margins[place->domain];
      if (-place->offset > before || place->offset > behind) return false;
    }
    return true;
  }

  bool comes_from_map(ValueId value) const {
    const Instruction& instruction = body_[value];
    return instruction.kind == InstructionKind::MapLoad ||
           std::ranges::any_of(instruction.operands,
                               [this](ValueId operand) { return comes_from_map(operand); });
  }

  // Vectors of stores are interleaved where an element has three scalars or a power of two.
  bool stores_pay(const CodeBlock& block) const {
    return std::ranges::all_of(block, [this](const CodeItem& item) {
      const auto* store = std::get_if<StoreItem>(&item.node);
      if (store == nullptr || !store->element.valid()) return true;
      const auto stride = static_cast<unsigned>(layout_.place(store->field, store->channel).stride);
      return stride == 3 || std::has_single_bit(stride);
    });
  }

  const CodeBody& body_;
  VectorLayout layout_;
  const Inside& inside_;
};

// The points of a section that can be vectorized; none if nothing is to be gained, or without the
// pass `simd`.
std::optional<Inside> vectorizable_points(const KernelProgram& program, const CodeBody& section) {
  if (!program.passes.simd) return {};
  Inside inside = inside_of(section);
  const Vectorization vectorization(program, section, inside);
  if (!vectorization.is_possible() || !vectorization.pays()) return {};
  return inside;
}

void collect_reductions(const CodeBlock& block, std::set<std::size_t>& found) {
  for (const CodeItem& item : block) {
    if (const auto* branch = std::get_if<IfItem>(&item.node))
      collect_reductions(branch->body, found);
    if (const auto* reduce = std::get_if<ReduceItem>(&item.node)) found.insert(reduce->reduction);
  }
}

class PointLoop {
 public:
  PointLoop(EmitContext& context, const CodeBody& section)
      : context_(context),
        section_(section),
        body_(context, section),
        rank_(section.domains.size()),
        uniform_(body_.uniform_block(2)) {}

  std::string text() {
    if (rank_ == 0) {
      return uniform_ + "  for (long long point = begin; point < end; ++point) {\n" +
             body_.block(4) + "  }\n";
    }
    if (rank_ == 1) return uniform_ + row(2, "idx_t i0 = (idx_t)begin; i0 < (idx_t)end; ++i0");
    return uniform_ + rows();
  }

 private:
  std::string extent(std::size_t d) const { return context_.dim(section_.extents[d]); }

  // With several domains the multi-index is decoded once, then counted like an odometer.
  std::string rows() {
    std::string text = "  long long rest = begin;\n";
    for (std::size_t d = 0; d < rank_; ++d) {
      const bool last = d + 1 == rank_;
      text += fmt::format("  idx_t i{} = (idx_t){};\n", d,
                          last ? "rest" : fmt::format("(rest % {})", extent(d)));
      if (!last) text += fmt::format("  rest /= {};\n", extent(d));
    }
    text += fmt::format(
        "  for (long long point = begin; point < end;) {{\n"
        "    const idx_t first = i0;\n"
        "    const idx_t stop = end - point < {0} - first ? (idx_t)(first + (end - point)) : "
        "{0};\n",
        extent(0));
    text += row(4, "i0 = first; i0 < stop; ++i0") + "    point += stop - first;\n    i0 = 0;\n";
    for (std::size_t d = 1; d < rank_; ++d) {
      const std::string space(2 + 2 * d, ' ');
      text += d + 1 == rank_
                  ? fmt::format("{}++i{};\n", space, d)
                  : fmt::format("{0}if (++i{1} == {2}) {{\n{0}  i{1} = 0;\n", space, d, extent(d));
    }
    for (std::size_t d = rank_ - 1; d-- > 1;) text += std::string(2 + 2 * d, ' ') + "}\n";
    return text + "  }\n";
  }

  // The points of one row, `all` of which a for statement with this header visits.
  std::string row(int indent, std::string_view all) {
    const std::string space(static_cast<std::size_t>(indent), ' ');
    const auto loop = [&](BodyWriter& body, std::string_view header) {
      return fmt::format("{0}for ({1}) {{\n{2}{0}}}\n", space, header, body.block(indent + 2));
    };
    const std::optional<Inside> inside = vectorizable_points(context_.program(), section_);
    if (!inside) return loop(body_, all);
    if (inside->guards.empty()) {
      body_.vectorize();
      return pragma() + loop(body_, all);
    }
    BodyWriter unguarded(context_, section_);
    unguarded.uniform_block(indent);  // gives its values their names; the text stands above already
    for (const ValueId guard : inside->guards) unguarded.assume(guard);
    unguarded.vectorize();
    return bounds(*inside, space) + pragma() + loop(unguarded, "i0 = low; i0 < high; ++i0") +
           loop(body_,
                "i0 = first == low ? high : first; i0 < stop; i0 = i0 + 1 == low ? high : i0 + 1");
  }

  // The points of a row from `low` to `high` are inside; there may be none.
  std::string bounds(const Inside& inside, const std::string& space) {
    std::vector<std::string> conditions;
    for (std::size_t d = 1; d < rank_; ++d) {
      const auto [before, behind] = inside.margins[d];
      if (before > 0) conditions.push_back(fmt::format("i{} >= {}", d, before));
      if (behind > 0) conditions.push_back(fmt::format("i{} < {} - {}", d, extent(d), behind));
    }
    std::string text;
    if (rank_ == 1) {
      text = fmt::format(
          "{0}const idx_t first = (idx_t)begin;\n{0}const idx_t stop = (idx_t)end;\n"
          "{0}idx_t i0;\n",
          space);
    }
    const auto [before, behind] = inside.margins[0];
    const std::string from =
        before > 0 ? fmt::format("first < {0} ? {0} : first", before) : std::string("first");
    text += fmt::format(
        "{}const idx_t low = {};\n", space,
        conditions.empty() ? from
                           : fmt::format("!({}) ? stop : {}", fmt::join(conditions, " && "), from));
    std::string end = "stop";
    if (behind > 0) {
      end = "last";
      text += fmt::format("{0}const idx_t last = {1} - {2} < stop ? {1} - {2} : stop;\n", space,
                          extent(0), behind);
    }
    return text + fmt::format("{0}const idx_t high = {1} < low ? low : {1};\n", space, end);
  }

  std::string pragma() const {
    std::set<std::size_t> reductions;
    collect_reductions(section_.block, reductions);
    std::vector<std::string> sums;
    std::vector<std::string> maxima;
    for (const std::size_t r : reductions) {
      const bool sum = context_.code().reductions[r].op == ReduceOp::Sum;
      (sum ? sums : maxima).push_back(fmt::format("r{}", r));
    }
    std::string text = "#pragma omp simd";
    if (!sums.empty()) text += fmt::format(" reduction(+:{})", fmt::join(sums, ","));
    if (!maxima.empty()) text += fmt::format(" reduction(max:{})", fmt::join(maxima, ","));
    return text + "\n";
  }

  EmitContext& context_;
  const CodeBody& section_;
  BodyWriter body_;
  std::size_t rank_;
  std::string uniform_;
};

std::string header(const std::string& name) {
  return fmt::format(
      "static void {}(const Args* a, long long begin, long long end, double* partial) {{\n", name);
}

std::string section_function(EmitContext& context, std::size_t index) {
  const std::string loop = PointLoop(context, context.code().sections[index]).text();
  const auto& reductions = context.code().reductions;
  std::string text = header(fmt::format("section{}", index));
  text += context.take_declarations(2);
  const std::set<std::size_t> used = context.take_reductions();
  for (const std::size_t r : used) text += fmt::format("  double r{} = 0.0;\n", r);
  text += loop;
  for (const std::size_t r : used) {
    text += reductions[r].op == ReduceOp::Sum
                ? fmt::format("  partial[{0}] += r{0};\n", r)
                : fmt::format("  partial[{0}] = fmax(partial[{0}], r{0});\n", r);
  }
  if (used.empty()) text += "  (void)partial;\n";
  return text + "}\n\n";
}

}  // namespace

EmittedText emit_c(EmitContext& context) {
  const KernelCode& code = context.code();
  std::string functions;
  for (std::size_t s = 0; s < code.sections.size(); ++s) functions += section_function(context, s);

  functions += fmt::format(
      "void {}(const Args* a, long long section, long long begin, long long end,\n"
      "    double* partial) {{\n  switch (section) {{\n",
      code.role);
  for (std::size_t s = 0; s < code.sections.size(); ++s) {
    functions += fmt::format("    case {0}: section{0}(a, begin, end, partial); break;\n", s);
  }
  functions += "  }\n}\n";

  if (code.has_epilogue) {
    BodyWriter epilogue(context, code.epilogue);
    const std::string block = epilogue.block(2);
    functions += fmt::format("\nvoid {}_epilogue(const Args* a) {{\n", code.role) +
                 context.take_declarations(2) + block + "}\n";
  }
  return {"#include <math.h>\n#include <stdbool.h>\n\n" + context.type_definitions() +
              context.helpers().definitions(),
          std::move(functions)};
}

}  // namespace thallo
