#include "core/schedule/schedule_reader.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <span>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.h"
#include "core/base/suggest.h"
#include "core/schedule/arguments.h"

namespace thallo {
namespace {

constexpr std::string_view SetCoherent = "set_coherent";

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

bool contains(const std::vector<Directive>& directives, const Directive& directive) {
  return std::ranges::find(directives, directive) != directives.end();
}

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
  ScheduleReader(const Energy& energy, const ConstructRegistry& constructs)
      : energy_(energy), constructs_(constructs) {}

  Expected<Schedule> read(const std::vector<ScheduleStatement>& statements) {
    for (const ScheduleStatement& statement : statements) {
      check_spelling(statement);
      if (statement.method == SetCoherent) check_coherent(statement);
    }
    // Stage by stage: what a later statement is about depends on the earlier decisions.
    const std::vector<const Construct*> ordered = in_stage_order(constructs_);
    const auto partitioned = std::ranges::find_if(
        ordered, [](const Construct* c) { return c->stage() != Stage::Partition; });
    read(std::span(ordered.begin(), partitioned), statements);
    if (faults_.empty()) check_assumed(statements);
    read(std::span(partitioned, ordered.end()), statements);
    if (!faults_.empty()) return fail(combined());
    return normal_form(energy_, Schedule(directives_), constructs_);
  }

 private:
  void read(std::span<const Construct* const> ordered,
            const std::vector<ScheduleStatement>& statements) {
    for (const Construct* construct : ordered) {
      if (!faults_.empty()) return;
      std::vector<ScheduleStatement> own;
      for (const ScheduleStatement& statement : statements) {
        if (has_spelling(*construct, statement)) own.push_back(statement);
      }
      if (!own.empty()) read(*construct, own);
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

  void read(const Construct& construct, const std::vector<ScheduleStatement>& statements) {
    const auto plan = make_plan(energy_, Schedule(directives_), constructs_);
    THALLO_ASSERT(plan.has_value(), "{}", plan.error().message());
    const auto directives = construct.parse(energy_, *plan, names_, statements);
    if (!directives) return report(directives.error());
    if (const auto legal = plan_with(*directives); !legal) {
      const auto has_fault = [&](const std::vector<Directive>& some) {
        const auto made = plan_with(some);
        return !made && made.error().what == legal.error().what;
      };
      return report_at(first_after(construct, *plan, statements, has_fault), legal.error());
    }
    check_replaced(construct, *plan, statements, *directives);
    directives_.insert(directives_.end(), directives->begin(), directives->end());
  }

  // A directive that a later one replaces must be legal without the other directives of its
  // construct: those that it conflicts with may be replaced as well.
  void check_replaced(const Construct& construct, const Plan& plan,
                      const std::vector<ScheduleStatement>& statements,
                      const std::vector<Directive>& directives) {
    std::map<Site, const Directive*> last;
    for (const Directive& directive : directives) last[directive.site] = &directive;
    std::set<std::string> checked;
    for (const Directive& directive : directives) {
      if (directive == *last.at(directive.site)) continue;
      if (!checked.insert(construct.print(directive)).second) continue;
      const auto legal = plan_with({directive});
      if (legal) continue;
      const ScheduleStatement& said = first_after(
          construct, plan, statements,
          [&](const std::vector<Directive>& some) { return contains(some, directive); });
      if (said.assumed_of.empty()) report_at(said, legal.error());
    }
  }

  Expected<Plan> plan_with(const std::vector<Directive>& directives) const {
    std::vector<Directive> all = directives_;
    all.insert(all.end(), directives.begin(), directives.end());
    return make_plan(energy_, Schedule(std::move(all)), constructs_);
  }

  // The first statement for which `holds` is true of the directives read up to and including it;
  // `holds` must be true of the directives of all statements.
  template <class Holds>
  const ScheduleStatement& first_after(const Construct& construct, const Plan& plan,
                                       const std::vector<ScheduleStatement>& statements,
                                       const Holds& holds) const {
    for (std::size_t count = 1; count < statements.size(); ++count) {
      PartNames names = names_;
      const auto directives =
          construct.parse(energy_, plan, names, std::span(statements).first(count));
      if (directives && holds(*directives)) return statements[count - 1];
    }
    return statements.back();
  }

  void report_at(const ScheduleStatement& statement, Diagnostic fault) {
    if (!fault.where.known()) fault.where = statement.where;
    if (!statement.assumed_of.empty())
      fault.what += fmt::format("; it was said of r.{} and is assumed", statement.assumed_of);
    report(std::move(fault));
  }

  void report(Diagnostic fault) { faults_.push_back(std::move(fault)); }

  Diagnostic combined() const {
    if (faults_.size() == 1) return faults_.front();
    std::vector<std::string> lines;
    for (const Diagnostic& fault : faults_) lines.push_back(fault.message());
    return {fmt::format("{}", fmt::join(lines, "\n")), {}, {}};
  }

  const Energy& energy_;
  const ConstructRegistry& constructs_;
  PartNames names_;
  std::vector<Directive> directives_;
  std::vector<Diagnostic> faults_;
};

}  // namespace

Expected<Schedule> read_schedule(const Energy& energy,
                                 const std::vector<ScheduleStatement>& statements,
                                 const ConstructRegistry& constructs) {
  return ScheduleReader(energy, constructs).read(statements);
}

}  // namespace thallo
