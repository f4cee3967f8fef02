#include "core/backend/cuda/member_loop_text.h"

#include <array>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "core/backend/cuda/sources.h"
#include "core/kernel/arguments.h"
#include "core/kernel/emit.h"

namespace thallo::cuda {
namespace {

// In the order in which they include each other.
constexpr std::pair<std::string_view, std::string_view> Decisions[] = {
#include "core/backend/cuda/decisions.inc"
};

// Words that every device takes, with room for those of the loop itself.
constexpr std::size_t MostWords = 4096 / sizeof(std::uint64_t) - 32;

constexpr std::array MemberPhases = {Phase::Linearize,      Phase::Damp,        Phase::DirectSolve,
                                     Phase::Direction,      Phase::Apply,       Phase::Update,
                                     Phase::ResetDirection, Phase::ResetApply,  Phase::ResetUpdate,
                                     Phase::Retract,        Phase::TrialValues, Phase::TrialCost,
                                     Phase::Keep,           Phase::Accept};

// The text without what only a file of its own needs.
std::string without_directives(std::string_view text) {
  std::string kept;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n') + 1);
    if (!line.starts_with("#include") && !line.starts_with("#pragma")) kept += line;
    text.remove_prefix(line.empty() ? text.size() : line.size());
  }
  return kept;
}

// Returns the launches of a phase; false if it has others than of kernels of members.
bool add_launches(const GeneratedProgram& generated, Phase phase,
                  std::vector<const LaunchKernel*>& launches) {
  for (const Step& step : generated.program.steps(phase)) {
    const auto* launch = std::get_if<LaunchKernel>(&step);
    if (launch == nullptr || launch->gate) return false;
    const KernelCode& code = generated.codes[launch->kernel];
    if (code.sections.size() != 1 || code.has_epilogue || !code.reductions.empty() ||
        code.sections.front().extents != std::vector{generated.program.members})
      return false;
    launches.push_back(launch);
  }
  return true;
}

}  // namespace

std::vector<const LaunchKernel*> member_launches(const GeneratedProgram& generated) {
  std::vector<const LaunchKernel*> launches;
  if (!generated.program.has_members()) return launches;
  for (const Phase phase : MemberPhases)
    if (!add_launches(generated, phase, launches)) return {};
  return launches;
}

std::optional<Source> member_loop_source(const GeneratedProgram& generated, Precision precision,
                                         int index_bits) {
  if (member_launches(generated).empty()) return std::nullopt;
  std::string text = fmt::format("#define BLOCK_SIZE {}\n", MemberBlockSize);
  for (const auto& [name, file] : Decisions) text += without_directives(file);
  text += "struct Team {\n  unsigned int point, size;\n  unsigned int member, mates;\n};\n\n";
  std::string arguments, functions;
  std::set<std::size_t> known;
  std::size_t num_words = 0, num_launches = 0;
  for (const Phase phase : MemberPhases) {
    std::vector<const LaunchKernel*> launches;
    add_launches(generated, phase, launches);
    functions += fmt::format("inline void run_{}(const Phases& phases, const Team& team) {{\n",
                             to_string(phase));
    for (const LaunchKernel* launch : launches) {
      const KernelCode& code = generated.codes[launch->kernel];
      if (known.insert(launch->kernel).second) {
        text += fmt::format("namespace k{} {{\n{}}}\n\n", launch->kernel,
                            emit(generated.program, code,
                                 {.dialect = Dialect::Cuda,
                                  .precision = precision,
                                  .index_bits = index_bits,
                                  .is_member_function = true}));
      }
      num_words += kernel_arguments(generated.program, code, Dialect::Cuda).size();
      arguments += fmt::format("  k{}::Args a{};\n", launch->kernel, num_launches);
      functions += fmt::format(
          "  k{}::{}(phases.a{}, team.point, team.size, team.member, team.mates);\n"
          "  __syncwarp(team.mates);\n",
          launch->kernel, code.role, num_launches++);
    }
    functions += "}\n";
  }
  if (num_words > MostWords) return std::nullopt;
  text += fmt::format("struct Phases {{\n{}}};\n\n{}\n", arguments, functions);
  Source source = own_source("member_loop", text);
  if (index_bits != 32) source.name += fmt::format("_{}bit", index_bits);
  return source;
}

}  // namespace thallo::cuda
