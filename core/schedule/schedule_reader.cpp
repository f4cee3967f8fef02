#include "core/schedule/schedule_reader.h"

#include <algorithm>
#include <array>
#include <map>
#include <ranges>
#include <set>
#include <span>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.h"
#include "core/base/suggest.h"
#include "core/schedule/arguments.h"

namespace thallo {
namespace {

constexpr std::string_view SetCoherent = "set_coherent";

// What one construct finds wrong with a text ends there: a loop writes so many faults.
constexpr std::size_t MaxFaults = 20;

// Each statement that merges or splits parts looks at all of them: two seconds for so many.
constexpr std::size_t MaxPartitioning = 1'000;

// The methods that no construct has.
constexpr std::array OwnSpellings = {Spelling{ScheduleName::Kind::Part, AssumeSchedule},
                                     Spelling{ScheduleName::Kind::Bare, SetCoherent}};

bool is_spelled(const ScheduleStatement& statement, const Spelling& spelling) {
  return spelling.on == statement.on.kind && spelling.method == statement.method;
}

bool has_spelling(const Construct& construct, const ScheduleStatement& statement) {
  return std::ranges::any_of(construct.spellings(), [&](const Spelling& spelling) {
    return is_spelled(statement, spelling);
  });
}

bool contains(std::span<const Directive> directives, const Directive& directive) {
  return std::ranges::find(directives, directive) != directives.end();
}

bool decides_at(const std::vector<Directive>& directives, const Site& site) {
  return std::ranges::find(directives, site, &Directive::site) != directives.end();
}

// Was the statement made of `original` by assume_schedule or split?
bool is_copy_of(ScheduleStatement statement, const ScheduleStatement& original) {
  if (statement.assumed_of.empty() || statement.assumed_of != original.on.name) return false;
  statement.on.name = original.on.name;
  return statement.text() == original.text();
}

// Statements of one construct, and their positions in the text.
struct OwnStatements {
  std::vector<ScheduleStatement> statements;
  std::vector<std::size_t> positions;

  ScheduleStatement take(std::size_t i) {
    ScheduleStatement taken = std::move(statements[i]);
    statements.erase(statements.begin() + static_cast<std::ptrdiff_t>(i));
    positions.erase(positions.begin() + static_cast<std::ptrdiff_t>(i));
    return taken;
  }
};

std::string_view kind_of(ScheduleName::Kind kind) {
  switch (kind) {
    case ScheduleName::Kind::Energy: return "the energy";
    case ScheduleName::Kind::Part: return "a part";
    case ScheduleName::Kind::Product: return "a product of a part";
    case ScheduleName::Kind::Bare: return "an intermediate, a Sum or a sparse map";
  }
  THALLO_UNREACHABLE();
}

class ScheduleReader {
 public:
  ScheduleReader(const Energy& energy, const ConstructRegistry& constructs, Repetition repetition)
      : energy_(energy), constructs_(constructs), repetition_(repetition) {}

  ScheduleReading read(const std::vector<ScheduleStatement>& statements) {
    for (const ScheduleStatement& statement : statements) {
      check_spelling(statement);
      if (statement.method == SetCoherent) check_coherent(statement);
    }
    // Stage by stage: what a later statement is about depends on the earlier decisions.
    const std::vector<const Construct*> ordered = in_stage_order(constructs_);
    const auto partitioned = std::ranges::find_if(
        ordered, [](const Construct* c) { return c->stage() != Stage::Partition; });
    if (faults_.empty()) read(std::span(ordered.begin(), partitioned), statements);
    if (faults_.empty()) check_assumed(statements);
    if (faults_.empty()) read(std::span(partitioned, ordered.end()), statements);
    return take_reading();
  }

 private:
  // Up to the end of the first stage that has faults.
  void read(std::span<const Construct* const> ordered,
            const std::vector<ScheduleStatement>& statements) {
    for (std::size_t c = 0; c < ordered.size(); ++c) {
      if (!faults_.empty() && ordered[c]->stage() != ordered[c - 1]->stage()) return;
      OwnStatements own;
      for (std::size_t i = 0; i < statements.size(); ++i) {
        if (!has_spelling(*ordered[c], statements[i])) continue;
        own.statements.push_back(statements[i]);
        own.positions.push_back(i);
      }
      if (own.statements.empty()) continue;
      if (ordered[c]->stage() == Stage::Partition && own.statements.size() > MaxPartitioning) {
        return report(fault_in(own.statements[MaxPartitioning],
                               fmt::format("a schedule has at most {} statements that merge or "
                                           "split parts",
                                           MaxPartitioning))
                          .value());
      }
      if (ordered[c]->stage() == Stage::Partition)
        partitions_.insert(partitions_.end(), own.positions.begin(), own.positions.end());
      std::ranges::sort(partitions_);
      read(*ordered[c], std::move(own));
    }
  }

  void check_spelling(const ScheduleStatement& statement) {
    std::set<std::string> legal;
    for (const Spelling& spelling : OwnSpellings) {
      if (is_spelled(statement, spelling)) return;
      if (spelling.on == statement.on.kind) legal.emplace(spelling.method);
    }
    for (const auto* entry : constructs_.entries()) {
      if (has_spelling(*entry->item, statement)) return;
      for (const Spelling& spelling : entry->item->spellings()) {
        if (spelling.on == statement.on.kind) legal.emplace(spelling.method);
      }
    }
    const std::vector<std::string> names(legal.begin(), legal.end());
    report({fmt::format("{}: no construct has the method '{}' for {}{}", statement.text(),
                        statement.method, kind_of(statement.on.kind),
                        did_you_mean(statement.method, names)),
            statement.where, names});
  }

  void check_coherent(const ScheduleStatement& statement) {
    if (statement.on.kind != ScheduleName::Kind::Bare) return;
    if (!energy_.find_map(statement.on.name).valid()) {
      std::vector<std::string> maps;
      for (const SparseMap& map : energy_.maps()) maps.push_back(map.name);
      const std::string hint = did_you_mean(statement.on.name, maps);
      return report(fault_in(statement,
                             fmt::format("there is no sparse map '{}'{}", statement.on.name, hint),
                             std::move(maps))
                        .value());
    }
    if (statement.arguments.empty())
      return report(fault_in(statement, "takes true or false", {"true", "false"}).value());
    if (const auto flag = flag_argument(statement, true); !flag) report(flag.error());
  }

  // Checks that both parts of every r.a:assume_schedule(r.b) exist.
  void check_assumed(const std::vector<ScheduleStatement>& statements) {
    const auto plan = make_plan(energy_, Schedule(directives_), constructs_);
    THALLO_ASSERT(plan.has_value(), "{}", plan.error().message());
    for (const ScheduleStatement& statement : statements) {
      if (statement.method != AssumeSchedule) continue;
      if (const auto part = part_in(statement, *plan, names_); !part) {
        report(part.error());
        continue;
      }
      const auto* other = statement.arguments.size() == 1
                              ? std::get_if<ScheduleName>(&statement.arguments.front().value)
                              : nullptr;
      if (other == nullptr || other->kind != ScheduleName::Kind::Part) {
        report(fault_in(statement, "takes one part, such as r.fit").value());
        continue;
      }
      if (const auto part = names_.find(*plan, other->name); !part)
        report(fault_in(statement, part.error().what, part.error().alternatives).value());
    }
  }

  void read(const Construct& construct, OwnStatements own) {
    const auto plan = make_plan(energy_, Schedule(directives_), constructs_);
    THALLO_ASSERT(plan.has_value(), "{}", plan.error().message());
    std::vector<std::pair<ScheduleStatement, Diagnostic>> refused;
    for (auto read = legal_directives(construct, *plan, own.statements); !read;
         read = legal_directives(construct, *plan, own.statements)) {
      const std::size_t to_blame = first_with(construct, *plan, own.statements, read.error());
      refused.emplace_back(own.take(to_blame), read.error());
      if (refused.size() == MaxFaults) break;
    }
    for (const auto& [statement, fault] : refused) {
      const bool follows = std::ranges::any_of(
          refused, [&](const auto& other) { return is_copy_of(statement, other.first); });
      if (!follows) report_at(statement, fault);
    }
    if (refused.size() == MaxFaults) return;
    const std::vector<PlacedDirective> placed = place(construct, *plan, own);
    const auto directives = construct.parse(energy_, *plan, names_, own.statements);
    const std::size_t num_faults = faults_.size();
    check_replaced(construct, *directives, placed, own);
    // Which of two statements is meant does not matter where one is to be mended anyway.
    const bool can_contradict =
        construct.stage() != Stage::Partition || repetition_ == Repetition::Refused;
    if (can_contradict && faults_.size() == num_faults) check_contradictions(construct, *plan, own);
    directives_.insert(directives_.end(), directives->begin(), directives->end());
    placed_.insert(placed_.end(), placed.begin(), placed.end());
  }

  // What the statements say; fails when one cannot be read, or when they are not legal together
  // with the decisions of the constructs before.
  Expected<std::vector<Directive>> legal_directives(
      const Construct& construct, const Plan& plan,
      std::span<const ScheduleStatement> statements) const {
    THALLO_TRY(auto directives, parsed(construct, plan, statements));
    THALLO_CHECK(plan_with(directives));
    return directives;
  }

  // The first statement up to and including which there is this fault, which all of them have.
  std::size_t first_with(const Construct& construct, const Plan& plan,
                         const std::vector<ScheduleStatement>& statements,
                         const Diagnostic& fault) const {
    const auto counts = std::views::iota(std::size_t{1}, statements.size());
    const auto first = std::ranges::partition_point(counts, [&](std::size_t count) {
      const auto read = legal_directives(construct, plan, std::span(statements).first(count));
      return read || read.error().what != fault.what;
    });
    return static_cast<std::size_t>(first - counts.begin());
  }

  // What each statement decides alone, if they decide about different sites, and the same together.
  std::optional<std::vector<PlacedDirective>> place_alone(const Construct& construct,
                                                          const Plan& plan,
                                                          const OwnStatements& own) const {
    std::vector<PlacedDirective> placed;
    std::map<Site, const Choice*> decided;
    const auto all = parsed(construct, plan, own.statements);
    if (!all) return {};
    for (const Directive& directive : *all) decided.emplace(directive.site, &directive.choice);
    for (std::size_t s = 0; s < own.statements.size(); ++s) {
      const auto alone = parsed(construct, plan, std::span(own.statements).subspan(s, 1));
      if (!alone) return {};
      for (const Directive& directive : *alone) {
        const auto together = decided.find(directive.site);
        if (together == decided.end() || *together->second != directive.choice) return {};
        decided.erase(together);
        placed.push_back({directive, own.positions[s]});
      }
    }
    return decided.empty() ? std::optional(placed) : std::nullopt;
  }

  Expected<std::vector<Directive>> parsed(const Construct& construct, const Plan& plan,
                                          std::span<const ScheduleStatement> statements) const {
    PartNames names = names_;
    return construct.parse(energy_, plan, names, statements);
  }

  // What a statement decides is what is read with it and not without it.
  std::vector<PlacedDirective> place(const Construct& construct, const Plan& plan,
                                     const OwnStatements& own) const {
    if (auto alone = place_alone(construct, plan, own)) return *std::move(alone);
    std::vector<PlacedDirective> placed;
    std::vector<Directive> before;
    for (std::size_t count = 1; count <= own.statements.size(); ++count) {
      const auto now = parsed(construct, plan, std::span(own.statements).first(count));
      if (!now) continue;  // what a later statement takes back
      const auto [old_rest, new_rest] = std::ranges::mismatch(before, *now);
      const std::span<const Directive> gone(old_rest, before.cend());
      for (const Directive& directive : std::span<const Directive>(new_rest, now->cend())) {
        if (!contains(gone, directive)) placed.push_back({directive, own.positions[count - 1]});
      }
      for (const Directive& directive : gone) {
        if (decides_at(*now, directive.site)) continue;
        placed.push_back({{directive.construct, directive.site,
                           construct.default_choice(energy_, plan, directive.site)},
                          own.positions[count - 1]});
      }
      before = *now;
    }
    std::set<Site> decided;
    for (std::size_t i = placed.size(); i-- > 0;)
      placed[i].is_replaced = !decided.insert(placed[i].directive.site).second;
    return placed;
  }

  void check_contradictions(const Construct& construct, const Plan& plan,
                            const OwnStatements& own) {
    std::vector<std::size_t> epochs(own.positions.size());
    for (std::size_t i = 0; i < epochs.size() && construct.stage() != Stage::Partition; ++i) {
      const auto below = std::ranges::lower_bound(partitions_, own.positions[i]);
      epochs[i] = static_cast<std::size_t>(below - partitions_.begin());
    }
    for (Diagnostic& fault :
         find_contradictions(construct, energy_, plan, names_, own.statements, epochs, repetition_))
      report(std::move(fault));
  }

  // A directive that a later one replaces must be legal without the other directives of its
  // construct: those that it conflicts with may be replaced as well.
  void check_replaced(const Construct& construct, const std::vector<Directive>& directives,
                      const std::vector<PlacedDirective>& placed, const OwnStatements& own) {
    std::map<Site, const Directive*> last;
    for (const Directive& directive : directives) last[directive.site] = &directive;
    std::set<std::string> checked;
    for (const PlacedDirective& said : placed) {
      const Directive& directive = said.directive;
      const auto counts = last.find(directive.site);
      if (counts == last.end() || directive == *counts->second || !contains(directives, directive))
        continue;
      if (!checked.insert(construct.print(directive)).second) continue;
      const auto legal = plan_with({directive});
      if (legal) continue;
      const auto position = std::ranges::find(own.positions, said.statement);
      const ScheduleStatement& statement =
          own.statements[static_cast<std::size_t>(position - own.positions.begin())];
      if (statement.assumed_of.empty()) report_at(statement, legal.error());
    }
  }

  Expected<Plan> plan_with(const std::vector<Directive>& directives) const {
    std::vector<Directive> all = directives_;
    all.insert(all.end(), directives.begin(), directives.end());
    return make_plan(energy_, Schedule(std::move(all)), constructs_);
  }

  // Faults of reading have their place and say of whom a copy is; those of legality do not.
  void report_at(const ScheduleStatement& statement, Diagnostic fault) {
    if (!fault.where.known()) {
      fault.where = statement.where;
      if (!statement.assumed_of.empty())
        fault.what += fmt::format("; it was said of r.{} and is assumed", statement.assumed_of);
    }
    report(std::move(fault));
  }

  void report(Diagnostic fault) { faults_.push_back(std::move(fault)); }

  ScheduleReading take_reading() {
    std::ranges::stable_sort(faults_, {}, [](const Diagnostic& fault) {
      return std::pair(fault.where.line, fault.where.column);
    });
    ScheduleReading reading{.faults = std::move(faults_), .directives = std::move(placed_)};
    if (!reading.faults.empty()) return reading;
    auto normal = normal_form(energy_, Schedule(std::move(directives_)), constructs_);
    THALLO_ASSERT(normal.has_value(), "{}", normal.error().message());
    reading.schedule = *std::move(normal);
    return reading;
  }

  const Energy& energy_;
  const ConstructRegistry& constructs_;
  Repetition repetition_;
  PartNames names_;
  std::vector<Directive> directives_;
  std::vector<PlacedDirective> placed_;
  std::vector<Diagnostic> faults_;
  // The positions of the statements that change the partition, ascending.
  std::vector<std::size_t> partitions_;
};

}  // namespace

ScheduleReading read_statements(const Energy& energy,
                                const std::vector<ScheduleStatement>& statements,
                                const ConstructRegistry& constructs, Repetition repetition) {
  return ScheduleReader(energy, constructs, repetition).read(statements);
}

Diagnostic in_one(std::vector<Diagnostic> faults) {
  if (faults.size() == 1) return std::move(faults.front());
  std::vector<std::string> lines;
  for (const Diagnostic& fault : faults) lines.push_back(fault.message());
  return Diagnostic{fmt::format("{}", fmt::join(lines, "\n")), {}, {}};
}

Expected<Schedule> read_schedule(const Energy& energy,
                                 const std::vector<ScheduleStatement>& statements,
                                 const ConstructRegistry& constructs) {
  ScheduleReading reading = read_statements(energy, statements, constructs);
  if (reading.schedule) return *std::move(reading.schedule);
  return fail(in_one(std::move(reading.faults)));
}

}  // namespace thallo
