#include <fmt/format.h>

#include "core/base/error.h"
#include "core/kernel/emit/body.h"
#include "core/kernel/emit/shells.h"

namespace thallo {

EmittedText emit_member_function(EmitContext& context) {
  const KernelCode& code = context.code();
  THALLO_ASSERT(code.sections.size() == 1 && code.sections.front().domains.size() == 1 &&
                    code.reductions.empty() && !code.has_epilogue,
                "'{}' is not of members alone", code.label);
  BodyWriter writer(context, code.sections.front());
  writer.share_with_team();
  const std::string body = writer.block(2);
  const std::string declarations = context.take_declarations(2);
  return {
      context.type_definitions() + context.helpers().definitions(),
      fmt::format("__device__ void {}(const Args& a, const uidx_t point, const unsigned int team,\n"
                  "    const unsigned int member, const unsigned int mates) {{\n"
                  "  const idx_t {} = (idx_t)point;\n",
                  code.role, BodyWriter::coordinate(0)) +
          declarations + body + "}\n"};
}

}  // namespace thallo
