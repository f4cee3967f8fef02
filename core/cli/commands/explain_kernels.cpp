// thallo explain PROBLEM --schedule S: lists the kernels and buffers of a problem under a schedule,
// and the directives that asked for each. For the schedule `auto`, adds what it decided below.
#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "core/backend/precompile.h"
#include "core/base/log.h"
#include "core/cli/commands/explain.h"
#include "core/cli/output/json_text.h"
#include "core/cli/output/table.h"
#include "core/cli/require.h"
#include "core/cost/autoschedule/autoschedule.h"
#include "core/explore/report/explanation.h"
#include "core/kernel/frequency.h"
#include "core/kernel/generate.h"
#include "core/schedule/shown_names.h"

namespace thallo::cli {
namespace {

using Json = nlohmann::ordered_json;

// Three digits with a prefix: "1.57 M".
std::string short_number(double value) {
  static constexpr const char* Prefixes[] = {"", "k", "M", "G", "T", "P"};
  std::size_t prefix = 0;
  while (value >= 999.5 && prefix + 1 < std::size(Prefixes)) {
    value /= 1000;
    ++prefix;
  }
  if (prefix == 0) return fmt::format("{:.0f}", value);
  return fmt::format("{:.3g} {}", value, Prefixes[prefix]);
}

double bytes_of(const KernelFeatures& f) {
  return f.reads.total() + f.writes.total() + 2 * f.scatters.total() + f.index_bytes;
}

// The GPU resources that the kernels of a schedule use. They are compiled and cached for this
// (core/backend/precompile.h); no device is needed.
struct KernelUsages {
  std::string architecture;                       // "sm_90"
  std::map<std::string, CompiledKernel> kernels;  // by label
  std::string why_none;                           // a sentence, if nothing could be compiled

  // Null for anything but a generated kernel.
  const CompiledKernel* find(const std::string& label) const {
    const auto found = kernels.find(label);
    return found == kernels.end() || found->second.registers == 0 ? nullptr : &found->second;
  }
};

KernelUsages usages_of(const Energy& energy, const Plan& plan, const ProgramOptions& program,
                       const CompileOptions& compile, const std::string& architecture) {
  KernelUsages usages{.architecture = architecture};
  const auto precompiler = make_precompiler("cuda", architecture);
  if (!precompiler) {
    usages.why_none = precompiler.error().what;
    return usages;
  }
  auto compiled = (*precompiler)->compile(generate(make_program(energy, plan, program)), compile);
  if (!compiled) {
    usages.why_none = compiled.error().message();
    return usages;
  }
  for (CompiledKernel& kernel : *compiled) usages.kernels.emplace(kernel.label, std::move(kernel));
  return usages;
}

// The numbers of the directives of a schedule, in its order. Things that every schedule has, and so
// no directive asked for, have the numbers "".
class Askers {
 public:
  explicit Askers(const Schedule& schedule, const ConstructRegistry& constructs) {
    for (const Directive& directive : schedule.directives())
      numbers_.emplace(constructs.find(directive.construct)->print(directive), numbers_.size() + 1);
  }
  std::string numbers(const std::vector<std::string>& asked_by) const {
    std::vector<std::size_t> numbers;
    for (const std::string& directive : asked_by) numbers.push_back(numbers_.at(directive));
    return fmt::format("{}", fmt::join(numbers, ", "));
  }

 private:
  std::map<std::string, std::size_t> numbers_;
};

using Usages = std::optional<KernelUsages>;  // absent if no GPU was requested

// Registers of a thread, bytes of local memory of a thread, and of shared memory of a block.
constexpr std::array UsedResources = {&CompiledKernel::registers, &CompiledKernel::spill_bytes,
                                      &CompiledKernel::shared_bytes};

bool has_columns(const Usages& usages) { return usages && usages->why_none.empty(); }

Table kernel_table(const Usages& usages) {
  std::vector<Table::Column> columns = {left("phase"), left("kernel"), left("over"), "points",
                                        "bytes",       "at least",     "flops",      "atomics"};
  if (has_columns(usages)) {
    for (const char* title : {"registers", "spilled", "shared"}) columns.push_back(title);
  }
  columns.push_back(left("asked for by"));
  return Table(std::move(columns));
}

void add_row(Table& table, std::vector<std::string> cells, const std::string& label,
             const Usages& usages, std::string askers) {
  if (has_columns(usages)) {
    const CompiledKernel* kernel = usages->find(label);
    for (const auto member : UsedResources)
      cells.push_back(kernel != nullptr ? fmt::to_string(kernel->*member) : "");
  }
  cells.push_back(std::move(askers));
  table.add(std::move(cells));
}

void print_kernels(const Explanation& explanation, const ShownNames& shown, const Askers& askers,
                   const Usages& usages, Frequency frequency) {
  Table table = kernel_table(usages);
  double bytes = 0;
  double least = 0;
  double flops = 0;
  double atomics = 0;
  for (const ExplainedKernel& kernel : explanation.kernels) {
    if (frequency_of(kernel.phase) != frequency) continue;
    const KernelFeatures& f = kernel.features;
    add_row(table,
            {std::string(to_string(kernel.phase)), shown.label(kernel.label),
             fmt::format("{}", fmt::join(kernel.over, "; ")),
             short_number(static_cast<double>(f.points)), short_number(bytes_of(f)),
             short_number(f.must_move()), short_number(f.flops.total()), short_number(f.atomics)},
            kernel.label, usages, askers.numbers(kernel.asked_by));
    bytes += bytes_of(f);
    least += f.must_move();
    flops += f.flops.total();
    atomics += f.atomics;
  }
  if (table.empty()) return;
  add_row(table,
          {"", "together", "", "", short_number(bytes), short_number(least), short_number(flops),
           short_number(atomics)},
          "", usages, "");
  fmt::print("\nonce in every {}\n{}", to_string(frequency), table.text(2));
}

void print_buffers(const Explanation& explanation, const Askers& askers) {
  Table buffers({left("buffer"), left("what"), "bytes", left("asked for by")});
  double bytes = 0;
  for (const ExplainedBuffer& buffer : explanation.buffers) {
    buffers.add(
        {buffer.name, buffer.what, short_number(buffer.bytes), askers.numbers(buffer.asked_by)});
    bytes += buffer.bytes;
  }
  buffers.add({"together", "", short_number(bytes), ""});
  fmt::print("\nbuffers\n{}", buffers.text(2));
}

void print_text(const Explanation& explanation, const ShownNames& shown, const Askers& askers,
                const Usages& usages) {
  for (const Frequency frequency : {Frequency::LinearIteration, Frequency::ResidualReset,
                                    Frequency::NonlinearIteration, Frequency::Solve}) {
    print_kernels(explanation, shown, askers, usages, frequency);
  }
  print_buffers(explanation, askers);
  fmt::print("\nbytes: as the threads ask for them; at least: with perfect caches. ");
  if (explanation.has_askers) {
    fmt::print(
        "A kernel, clear or buffer is asked\nfor by the directives without which it would not be "
        "there, by all of them where each would do; those\nof every schedule have none.\n");
  } else {
    fmt::print("Who asks for what is looked\nfor if a schedule has at most {} directives.\n",
               MostAskers);
  }
  if (has_columns(usages)) {
    fmt::print(
        "registers, spilled: of a thread, the latter in bytes, with arrays that are indexed; "
        "shared: "
        "bytes of a\nblock; all compiled for {}.\n",
        usages->architecture);
  } else if (usages) {
    fmt::print("registers are not known: {}\n", usages->why_none);
  }
}

void add_explanation(Json& json, const Explanation& explanation, const Usages& usages) {
  if (usages) json["architecture"] = usages->architecture;
  json["kernels"] = Json::array();
  json["buffers"] = Json::array();
  for (const ExplainedKernel& kernel : explanation.kernels) {
    const KernelFeatures& f = kernel.features;
    json["kernels"].push_back({{"phase", to_string(kernel.phase)},
                               {"once_in_every", to_string(frequency_of(kernel.phase))},
                               {"kernel", kernel.label},
                               {"over", kernel.over},
                               {"points", f.points},
                               {"bytes", bytes_of(f)},
                               {"must_move", f.must_move()},
                               {"flops", f.flops.total()},
                               {"atomics", f.atomics},
                               {"asked_by", kernel.asked_by}});
    if (!usages) continue;
    const CompiledKernel* compiled = usages->find(kernel.label);
    const auto used = [&](int CompiledKernel::*member) {
      return compiled != nullptr ? Json(compiled->*member) : Json();
    };
    json["kernels"].back().update({{"registers", used(&CompiledKernel::registers)},
                                   {"spill_bytes", used(&CompiledKernel::spill_bytes)},
                                   {"shared_bytes", used(&CompiledKernel::shared_bytes)}});
  }
  for (const ExplainedBuffer& buffer : explanation.buffers) {
    json["buffers"].push_back({{"buffer", buffer.name},
                               {"what", buffer.what},
                               {"bytes", buffer.bytes},
                               {"asked_by", buffer.asked_by}});
  }
}

// Returns what `auto` compared; nothing if it chose nothing.
std::optional<ShownAuto> shown_auto(const ExplainedInstance& instance, const Plan& plan,
                                    std::vector<AutoStep> compared) {
  if (compared.empty()) return {};
  const DeviceSpec device = instance.device();
  const AutoTarget& target = instance.target();
  const PricedPlan priced =
      price_plan(instance.energy(), plan, instance.binding(), target.prices(), device);
  return ShownAuto{std::move(compared), priced.prediction.nonlinear_iteration, device.name,
                   target.counts.linear_iterations};
}

}  // namespace

void explain_kernels(Session& session, const ExplainFlags& flags, const std::string& architecture) {
  const ExplainedInstance instance(session, flags, {flags.run.schedule});
  const ProgramOptions& program = instance.target().program;
  std::vector<AutoStep> compared;
  const Schedule schedule = instance.schedule(flags.run.schedule, &compared);
  const Plan plan = instance.plan(schedule);
  const auto by_auto = shown_auto(instance, plan, std::move(compared));
  const Explanation explanation =
      require(explain(instance.energy(), schedule, instance.constructs(), program,
                      instance.binding(), program.precision));
  Usages usages;
  if (instance.supposed().backend == "cuda") {
    CompileOptions compile = instance.request().compile;
    compile.precision = program.precision;
    usages = usages_of(instance.energy(), plan, program, compile, architecture);
  }
  if (flags.json) {
    Json json = instance.json(schedule);
    add_explanation(json, explanation, usages);
    if (by_auto) add_auto(json, *by_auto);
    return print_json(json);
  }
  instance.print_title(schedule);
  print_text(explanation, ShownNames(instance.energy(), plan),
             Askers(schedule, instance.constructs()), usages);
  if (by_auto) fmt::print("{}", auto_text(*by_auto));
}

}  // namespace thallo::cli
