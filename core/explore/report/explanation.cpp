#include "core/explore/report/explanation.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <map>
#include <numeric>
#include <set>
#include <span>
#include <utility>
#include <variant>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.h"
#include "core/cost/model/work.h"
#include "core/explore/measure/kernel_signature.h"
#include "core/kernel/bind/program_bytes.h"
#include "core/kernel/generate.h"
#include "core/kernel/library_ops.h"
#include "core/kernel/multigrid.h"
#include "core/kernel/program_print.h"

namespace thallo {
namespace {

// Finds the directives of a schedule that asked for a thing: a kernel, a step or a buffer of its
// program. A directive asked for a thing if removing it removes the thing. If several would each
// suffice, all are credited.
//
// Example: two parts store their JtJ in one dense matrix.
//
//   r.fit:strategy("[JtJ]p")       r.fit.JtJ:storage("dense")
//   r.shading:strategy("[JtJ]p")   r.shading.JtJ:storage("dense")
//
// The kernel that adds fit's share to the matrix disappears if either directive of the first line
// is removed, so these two asked for it. The product of the matrix with p stays whichever of the
// four is removed, since the other part still stores the matrix. Each line alone would suffice for
// the product, so all four directives are credited.

// The names of all things that a plan makes. A name may occur several times: the first, second, ...
// thing of a name in one plan is the first, second, ... of it in another.
using ThingsOf = std::function<std::vector<std::string>(const Plan& plan)>;
using Directives = std::vector<std::size_t>;  // ascending indices into schedule.directives()

class AskerSearch {
 public:
  AskerSearch(const Energy& energy, const Schedule& schedule, const ConstructRegistry& constructs,
              const ThingsOf& things_of)
      : energy_(energy),
        schedule_(schedule),
        constructs_(constructs),
        things_of_(things_of),
        all_(schedule.directives().size()) {
    std::iota(all_.begin(), all_.end(), std::size_t{0});
  }

  std::vector<std::vector<std::size_t>> run() {
    std::vector<std::vector<std::size_t>> askers;
    for (const Thing& thing : things(all_)) {
      if (has({}, thing)) {
        askers.emplace_back();
        continue;
      }
      const std::set<std::size_t> found = askers_of(thing);
      askers.emplace_back(found.begin(), found.end());
    }
    return askers;
  }

 private:
  struct Thing {
    std::string name;
    int number = 0;  // counts the things of this name from 0
    friend auto operator<=>(const Thing&, const Thing&) = default;
  };

  Schedule of(const Directives& kept) const {
    std::vector<Directive> directives;
    for (const std::size_t i : kept) directives.push_back(schedule_.directives()[i]);
    return Schedule(std::move(directives));
  }
  Expected<Plan> plan(const Directives& kept) const {
    return make_plan(energy_, of(kept), constructs_);
  }

  const std::vector<Thing>& things(const Directives& kept) {
    const auto known = things_.find(kept);
    if (known != things_.end()) return known->second;
    const Expected<Plan> made = plan(kept);
    THALLO_ASSERT(made.has_value(), "{}", made.error().message());
    std::map<std::string, int> counts;
    std::vector<Thing> result;
    for (const std::string& name : things_of_(*made)) result.push_back({name, counts[name]++});
    return things_.emplace(kept, std::move(result)).first->second;
  }
  bool has(const Directives& kept, const Thing& thing) {
    return std::ranges::find(things(kept), thing) != things(kept).end();
  }

  // Starts with the directives that the thing needs. If these alone do not produce the thing, adds
  // each single directive that produces it together with them, with whatever that directive needs.
  // If no single one does, returns the directives that the thing needs within the schedule of
  // least_for().
  std::set<std::size_t> askers_of(const Thing& thing) {
    const std::set<std::size_t> needed = needed_in(all_, thing);
    if (has(least_with(needed), thing)) return needed;
    std::set<std::size_t> found = needed;
    for (const std::size_t i : all_) {
      std::set<std::size_t> with = needed;
      if (with.insert(i).second) found.merge(needed_in(least_with(with), thing));
    }
    return found == needed ? needed_in(least_for(thing), thing) : found;
  }

  // Returns `kept` without `left_out`, and without the directives that are illegal then.
  const Directives& without(const Directives& kept, std::size_t left_out) {
    const auto [found, is_new] = without_.try_emplace({kept, left_out});
    Directives& fewer = found->second;
    if (!is_new) return fewer;
    std::ranges::remove_copy(kept, std::back_inserter(fewer), left_out);
    const auto edited = edit(energy_, of(fewer), {}, constructs_);
    THALLO_ASSERT(edited.has_value(), "{}", edited.error().message());
    for (const EditedSchedule::Dropped& illegal : edited->dropped) {
      std::erase_if(fewer,
                    [&](std::size_t i) { return schedule_.directives()[i] == illegal.directive; });
    }
    return fewer;
  }

  // Returns the directives of schedule `kept` whose removal removes the thing; none if `kept` does
  // not have it.
  std::set<std::size_t> needed_in(const Directives& kept, const Thing& thing) {
    std::set<std::size_t> needed;
    if (!has(kept, thing)) return needed;
    for (const std::size_t i : kept) {
      if (!has(without(kept, i), thing)) needed.insert(i);
    }
    return needed;
  }

  // Returns the given directives and those that they need to be legal.
  const Directives& least_with(const std::set<std::size_t>& directives) {
    const auto [found, is_new] = least_with_.try_emplace(directives, all_);
    Directives& kept = found->second;
    if (is_new) drop(kept, 0, all_.size(), directives);
    return kept;
  }

  // Drops those of [begin, end), all at once or else half by half from the last on, that are not
  // wanted and that no other one needs to be legal.
  void drop(Directives& kept, std::size_t begin, std::size_t end,
            const std::set<std::size_t>& wanted) const {
    Directives fewer = kept;
    std::erase_if(fewer,
                  [&](std::size_t i) { return i >= begin && i < end && !wanted.contains(i); });
    if (fewer.size() == kept.size()) return;
    if (plan(fewer)) {
      kept = std::move(fewer);
    } else if (end - begin > 1) {
      const std::size_t middle = begin + (end - begin) / 2;
      drop(kept, middle, end, wanted);
      drop(kept, begin, middle, wanted);
    }
  }

  // Finds a small schedule that has the thing: drops each directive in turn if the thing remains.
  Directives least_for(const Thing& thing) {
    Directives kept = all_;
    for (const std::size_t i : all_) {
      const Directives fewer = without(kept, i);
      if (has(fewer, thing)) kept = fewer;
    }
    return kept;
  }

  const Energy& energy_;
  const Schedule& schedule_;
  const ConstructRegistry& constructs_;
  const ThingsOf& things_of_;
  Directives all_;
  std::map<Directives, std::vector<Thing>> things_;  // keyed by the schedules tried so far
  std::map<std::pair<Directives, std::size_t>, Directives> without_;
  std::map<std::set<std::size_t>, Directives> least_with_;
};

// For each thing that the schedule's plan makes, in the order of `things_of`: the directives that
// asked for it, as ascending indices into schedule.directives(). The list is empty when the default
// schedule makes the thing too. The schedule must be legal.
std::vector<std::vector<std::size_t>> find_askers(const Energy& energy, const Schedule& schedule,
                                                  const ConstructRegistry& constructs,
                                                  const ThingsOf& things_of) {
  return AskerSearch(energy, schedule, constructs, things_of).run();
}

// Returns the label of a step that does not launch a kernel; empty for a kernel launch.
std::string label_of(const KernelProgram& program, const Step& step) {
  if (const auto op = library_op(step)) return label_of(program, *op);
  if (const auto* clear = std::get_if<ClearBuffer>(&step))
    return fmt::format("clear {}", program.buffers[clear->buffer].name);
  if (const auto* solve = std::get_if<SolveDirect>(&step))
    return fmt::format("solve {}", program.buffers[solve->matrix].name);
  if (const auto* multigrid = std::get_if<RunMultigrid>(&step)) return label_of(*multigrid);
  return {};
}

std::vector<std::string> domains_of(const KernelProgram& program, const ProgramSizes& sizes,
                                    const Step& step) {
  const auto op = library_op(step);
  if (!op) return {};
  const MatrixShape shape = shape_of(program, sizes, program.matrices[matrix_of(*op)]);
  return {fmt::format("{} x {}", shape.rows, shape.cols)};
}

// Returns the sparse maps that are made when a program is bound.
std::span<const SparseMap> tables_of(const KernelProgram& program) {
  return std::span(program.maps).subspan(program.bound_maps().size());
}

// Returns the names of a program's kernels, of its other steps in the order of phases, of its
// buffers and of its tables. The type of a buffer is part of its name, so a buffer of another type
// counts as another thing.
std::vector<std::string> things_of(const KernelProgram& program) {
  std::vector<std::string> things;
  KernelSignatures signatures(program);
  for (const Kernel& kernel : program.kernels) things.push_back(signatures.of(kernel).hex());
  for (const auto& [phase, steps] : program.phases) {
    for (const Step& step : steps) {
      if (!std::holds_alternative<LaunchKernel>(step)) things.push_back(label_of(program, step));
    }
  }
  for (const BufferDecl& buffer : program.buffers)
    things.push_back(fmt::format("{} {}", buffer.name, static_cast<int>(buffer.type)));
  for (const SparseMap& table : tables_of(program)) things.push_back("table " + table.name);
  return things;
}

std::vector<std::string> domains_of(const KernelProgram& program, const Kernel& kernel) {
  std::vector<std::string> over;
  for (const Section& section : kernel.sections) {
    std::vector<std::string> names;
    for (const DomainId domain : section.domains) {
      names.push_back(program.dims[program.graph.indices().domain(domain).dim.index()].name);
    }
    std::string text = names.empty() ? "one point" : fmt::format("{}", fmt::join(names, " x "));
    if (std::ranges::find(over, text) == over.end()) over.push_back(std::move(text));
  }
  return over;
}

}  // namespace

Expected<Explanation> explain(const Energy& energy, const Schedule& schedule,
                              const ConstructRegistry& constructs, const ProgramOptions& options,
                              const Binding& binding, Precision precision) {
  THALLO_TRY(const auto plan, make_plan(energy, schedule, constructs));
  THALLO_CHECK(check_program(energy, plan, options));
  const GeneratedProgram generated = generate(make_program(energy, plan, options));
  const KernelProgram& program = generated.program;
  THALLO_TRY(const auto sizes, ProgramSizes::make(program, binding));

  Explanation explanation;
  explanation.has_askers = schedule.directives().size() <= MostAskers;
  std::vector<std::vector<std::string>> askers(things_of(program).size());
  if (explanation.has_askers) {
    const auto found = find_askers(energy, schedule, constructs, [&](const Plan& smaller) {
      return things_of(make_program(energy, smaller, options));
    });
    for (std::size_t thing = 0; thing < found.size(); ++thing) {
      for (const std::size_t place : found[thing]) {
        const Directive& directive = schedule.directives()[place];
        askers[thing].push_back(constructs.find(directive.construct)->print(directive));
      }
    }
  }
  std::size_t next_step = program.kernels.size();
  const std::size_t first_buffer =
      askers.size() - tables_of(program).size() - program.buffers.size();

  const ProgramWork work = work_of(generated, sizes, {}, precision);
  auto of_step = work.steps.begin();
  for (const auto& [phase, steps] : program.phases) {
    for (const Step& step : steps) {
      const auto* launch = std::get_if<LaunchKernel>(&step);
      explanation.kernels.push_back(
          {of_step->label,
           launch != nullptr ? domains_of(program, program.kernels[launch->kernel])
                             : domains_of(program, sizes, step),
           phase, of_step->features, askers[launch != nullptr ? launch->kernel : next_step++]});
      ++of_step;
    }
  }
  const std::vector<StoredBuffer> buffers = program_buffers(program, sizes, precision);
  for (std::size_t b = 0; b < buffers.size(); ++b) {
    const bool is_table = b >= program.buffers.size();
    explanation.buffers.push_back(
        {buffers[b].name,
         is_table ? "a table of indices" : std::string(to_string(program.buffers[b].kind)),
         buffers[b].bytes, askers[first_buffer + b]});
  }
  return explanation;
}

}  // namespace thallo
