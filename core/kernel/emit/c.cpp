#include "core/kernel/emit/shells.h"

#include <set>

#include <fmt/format.h>

#include "core/kernel/emit/body.h"
#include "core/kernel/emit/point_loop.h"

namespace thallo {
namespace {

std::string header(const std::string& name) {
  return fmt::format(
      "static void {}(const Args* a, long long begin, long long end, double* partial) {{\n", name);
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
