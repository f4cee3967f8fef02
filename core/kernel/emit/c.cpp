#include "core/kernel/emit/c.h"

#include <set>

#include <fmt/format.h>

#include "core/kernel/emit/body.h"

namespace thallo {
namespace {

std::string header(const std::string& name) {
  return fmt::format(
      "static void {}(const Args* a, long long begin, long long end, double* partial) {{\n", name);
}

// The loop over points [begin, end). With several domains the multi-index is decoded once, then
// counted like an odometer; the innermost loop runs over the first domain.
std::string point_loop(EmitContext& context, const CodeBody& section) {
  BodyWriter body(context, section);
  const std::size_t rank = section.domains.size();
  if (rank == 0) {
    return "  for (long long point = begin; point < end; ++point) {\n" + body.block(4) + "  }\n";
  }
  if (rank == 1) {
    return "  for (idx_t i0 = (idx_t)begin; i0 < (idx_t)end; ++i0) {\n" + body.block(4) + "  }\n";
  }
  std::vector<std::string> extents;
  for (std::size_t d = 0; d + 1 < rank; ++d) extents.push_back(context.dim(section.extents[d]));
  std::string text = "  long long rest = begin;\n";
  for (std::size_t d = 0; d < rank; ++d) {
    const bool last = d + 1 == rank;
    text += fmt::format("  idx_t i{} = (idx_t){};\n", d,
                        last ? "rest" : fmt::format("(rest % {})", extents[d]));
    if (!last) text += fmt::format("  rest /= {};\n", extents[d]);
  }
  text += fmt::format(
      "  for (long long point = begin; point < end;) {{\n"
      "    const idx_t first = i0;\n"
      "    const idx_t stop = end - point < {0} - first ? (idx_t)(first + (end - point)) : {0};\n"
      "    for (i0 = first; i0 < stop; ++i0) {{\n",
      extents[0]);
  text += body.block(6);
  text += "    }\n    point += stop - first;\n    i0 = 0;\n";
  for (std::size_t d = 1; d < rank; ++d) {
    if (d + 1 == rank) {
      text += fmt::format("{}++i{};\n", std::string(2 + 2 * d, ' '), d);
    } else {
      text += fmt::format("{}if (++i{} == {}) {{\n{}i{} = 0;\n", std::string(2 + 2 * d, ' '), d,
                          extents[d], std::string(4 + 2 * d, ' '), d);
    }
  }
  for (std::size_t d = rank - 1; d-- > 1;) text += std::string(2 + 2 * d, ' ') + "}\n";
  return text + "  }\n";
}

std::string section_function(EmitContext& context, std::size_t index) {
  const std::string loop = point_loop(context, context.code().sections[index]);
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

std::string emit_c(EmitContext& context) {
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
  return "#include <math.h>\n#include <stdbool.h>\n\n" + context.type_definitions() +
         context.helpers().definitions() + functions;
}

}  // namespace thallo
