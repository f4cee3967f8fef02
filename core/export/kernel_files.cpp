#include "core/export/parts.h"

#include <fstream>
#include <regex>
#include <string>

#include <fmt/format.h>

#include "core/kernel/emit.h"

namespace thallo {
namespace {

// The lines of the energy's text; none if there is no such file.
std::vector<std::string> lines_of_file(const std::string& file) {
  std::vector<std::string> lines;
  std::ifstream text(file);
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  return lines;
}

std::string_view trimmed(std::string_view line) {
  const std::size_t begin = line.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return line.substr(begin, line.find_last_not_of(" \t\r") + 1 - begin);
}

// The lines of the energy that a kernel computes, as a comment.
std::string quoted_lines(const ReadableText& text, const std::vector<std::string>& energy) {
  std::set<int> numbers;
  for (const std::vector<int>& of_line : text.lines_of)
    numbers.insert(of_line.begin(), of_line.end());
  std::string comment;
  for (const int number : numbers) {
    if (number < 1 || static_cast<std::size_t>(number) > energy.size()) continue;
    comment += fmt::format("// {:>4}: {}\n", number,
                           trimmed(energy[static_cast<std::size_t>(number) - 1]));
  }
  return comment.empty() ? comment : "//\n// It computes these lines of the energy:\n" + comment;
}

}  // namespace

std::vector<ExportedFile> kernel_files(const ExportRequest& request, const ExportNames& names,
                                       const std::set<std::size_t>& kernels) {
  const EmitOptions options{.dialect = request.dialect,
                            .precision = request.precision,
                            .index_bits = index_bits(request)};
  const bool is_cuda = request.dialect == Dialect::Cuda;
  const auto energy = lines_of_file(request.energy_file);
  std::vector<ExportedFile> files;
  for (const std::size_t k : kernels) {
    KernelCode code = request.generated.codes[k];
    code.role = names.kernel(k);
    code.loop_condition = {};  // loops are ended by the host
    const ReadableText text = readable_text(request.generated.program, code, options);
    std::string content = describe_slots(code, text) + quoted_lines(text, energy) + "\n" +
                          text.preamble + text.functions;
    if (is_cuda) {
      // The kernels of an export are linked together.
      content =
          std::regex_replace(content, std::regex("(^|\n)(__device__ __noinline__)"), "$1static $2");
      content += fmt::format(
          "\nextern \"C\" const void* {0}_kernel(void) {{\n"
          "  return reinterpret_cast<const void*>({0});\n}}\n",
          code.role);
    }
    files.push_back({fmt::format("kernels/{}.{}", code.role.substr(names.solver().size() + 1),
                                 is_cuda ? "cu" : "c"),
                     std::move(content)});
  }
  return files;
}

}  // namespace thallo
