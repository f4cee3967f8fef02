#include "core/export/parts.h"

#include <algorithm>
#include <cctype>
#include <initializer_list>
#include <regex>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace thallo {
namespace {

// The build embeds them.
constexpr std::pair<std::string_view, std::string_view> Files[] = {
#include "core/export/runtime_texts.inc"
};

std::string replaced(const std::string& text, const char* pattern, const std::string& by) {
  return std::regex_replace(text, std::regex(pattern), by);
}

// True if a solver of the program needs the file.
bool is_needed(std::string_view file, const KernelProgram& program, Dialect dialect) {
  const std::string_view name = file.substr(0, file.find('.'));
  const auto is_one_of = [&](std::initializer_list<std::string_view> names) {
    return std::ranges::find(names, name) != names.end();
  };
  if (is_one_of({"cuda_program", "launch_size", "magic"})) return dialect == Dialect::Cuda;
  if (is_one_of({"aligned_bytes", "host_program", "point_launch", "thread_pool"}))
    return dialect == Dialect::C;
  if (is_one_of({"direct_solve", "direct_step", "factorization", "plain_cholesky"}))
    return program.solves_directly();
  return true;
}

}  // namespace

std::vector<ExportedFile> runtime_files(const std::string& solver, const KernelProgram& program,
                                        Dialect dialect) {
  std::string macros = solver + "_";
  std::ranges::transform(macros, macros.begin(),
                         [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  std::vector<ExportedFile> files;
  for (const auto& [name, content] : Files) {
    if (!is_needed(name, program, dialect)) continue;
    std::string text = replaced(std::string(content), R"(#include "core/(\w+/)*)", "#include \"");
    text = replaced(text, R"(\bnamespace thallo\b)", "namespace " + solver);
    text = replaced(text, R"(\bTHALLO_)", macros);
    files.push_back({fmt::format("runtime/{}", name), std::move(text)});
  }
  return files;
}

}  // namespace thallo
