#include "core/schedule/schedule_reader.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.h"
#include "core/base/suggest.h"

namespace thallo {
namespace {

bool has_spelling(const Construct& construct, const ScheduleStatement& statement) {
  return std::ranges::any_of(construct.spellings(), [&](const Spelling& spelling) {
    return spelling.on == statement.on.kind && spelling.method == statement.method;
  });
}

std::string_view kind_of(ScheduleName::Kind kind) {
  switch (kind) {
    case ScheduleName::Kind::Energy: return "the energy";
    case ScheduleName::Kind::Part: return "a part";
    case ScheduleName::Kind::Product: return "a product of a part";
    case ScheduleName::Kind::Bare: return "an intermediate or a Sum";
  }
  THALLO_UNREACHABLE();
}

class ScheduleReader {
 public:
  ScheduleReader(const Energy& energy, const ConstructRegistry& constructs)
      : energy_(energy), constructs_(constructs) {}

  Expected<Schedule> read(const std::vector<ScheduleStatement>& statements) {
    for (const ScheduleStatement& statement : statements) check_spelling(statement);
    // Stage by stage: what a later statement is about depends on the earlier decisions.
    for (const Construct* construct : in_stage_order(constructs_)) {
      std::vector<ScheduleStatement> own;
      for (const ScheduleStatement& statement : statements) {
        if (has_spelling(*construct, statement)) own.push_back(statement);
      }
      if (!own.empty()) read(*construct, own);
      if (!faults_.empty()) break;
    }
    if (!faults_.empty()) return fail(combined());
    return normal_form(energy_, Schedule(directives_), constructs_);
  }

 private:
  void check_spelling(const ScheduleStatement& statement) {
    std::set<std::string> legal;
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

  void read(const Construct& construct, const std::vector<ScheduleStatement>& statements) {
    const auto plan = make_plan(energy_, Schedule(directives_), constructs_);
    THALLO_ASSERT(plan.has_value(), "{}", plan.error().message());
    const auto directives = construct.parse(energy_, *plan, names_, statements);
    if (!directives) return report(directives.error());
    // One by one, so that each fault is told where it was written.
    std::vector<Directive> accepted = directives_;
    accepted.insert(accepted.end(), directives->begin(), directives->end());
    if (const auto legal = make_plan(energy_, Schedule(accepted), constructs_); !legal) {
      Diagnostic fault = legal.error();
      if (!fault.where.known()) fault.where = place_of_fault(construct, *plan, statements);
      return report(std::move(fault));
    }
    directives_ = std::move(accepted);
  }

  // The first statement after which the text is not legal.
  SourceLocation place_of_fault(const Construct& construct, const Plan& plan,
                                const std::vector<ScheduleStatement>& statements) {
    for (std::size_t count = 1; count <= statements.size(); ++count) {
      PartNames names = names_;
      const auto directives =
          construct.parse(energy_, plan, names, std::span(statements).first(count));
      if (!directives) return statements[count - 1].where;
      std::vector<Directive> all = directives_;
      all.insert(all.end(), directives->begin(), directives->end());
      if (!make_plan(energy_, Schedule(all), constructs_)) return statements[count - 1].where;
    }
    return statements.back().where;
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
