#include "core/problem/dump.h"

#include <cstdlib>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <system_error>

#include <fmt/format.h>

#include "core/base/io/file.h"
#include "core/base/log.h"
#include "core/energy/print.h"
#include "core/kernel/code.h"
#include "core/kernel/code_print.h"
#include "core/kernel/program_print.h"

namespace thallo {
namespace {

namespace fs = std::filesystem;

std::optional<fs::path> dump_folder() {
  const char* folder = std::getenv("THALLO_DUMP");
  if (folder == nullptr || *folder == '\0') return std::nullopt;
  return fs::path(folder);
}

void write(const fs::path& path, const std::string& text) {
  std::error_code ignored;  // shows when the file is written
  fs::create_directories(path.parent_path(), ignored);
  if (const auto written = write_file(path, text); !written) {
    logger("solve").warn("THALLO_DUMP: {}", written.error().message());
  }
}

}  // namespace

void dump_program(const Energy& energy, const KernelProgram& program, const PassOptions& passes) {
  const auto folder = dump_folder();
  if (!folder) return;
  write(*folder / "00_energy.txt", to_string(energy));
  KernelProgram copy = program;  // generating code adds expressions
  std::string text = to_string(program);
  for (const Kernel& kernel : program.kernels) {
    text += "\n" + to_string(copy, generate_code(copy, kernel, passes));
  }
  write(*folder / "07_program.txt", text);
}

void dump_kernels(const Executable& executable, std::string_view backend) {
  const auto folder = dump_folder();
  if (!folder || backend != "cpu") return;
  std::map<std::string, int> num_of_role;
  for (const CompiledKernel& kernel : executable.kernels()) {
    const int number = ++num_of_role[kernel.role];
    const std::string suffix = number == 1 ? "" : fmt::format("_{}", number);
    write(*folder / "kernels" / (kernel.role + suffix + ".c"),
          fmt::format("// {}\n{}", kernel.label, kernel.source));
  }
}

}  // namespace thallo
