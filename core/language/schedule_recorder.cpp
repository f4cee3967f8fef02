#include "core/language/schedule_recorder.h"

#include <fmt/format.h>

#include "core/language/call.h"
#include "core/schedule/plan.h"

namespace thallo::language {
namespace {

std::size_t size_in_memory(const ScheduleStatement& statement) {
  std::size_t bytes = sizeof statement + statement.on.name.size() + statement.method.size() +
                      statement.where.file.size() + statement.end.file.size() +
                      statement.assumed_of.size();
  for (const ScheduleArgument& argument : statement.arguments) {
    bytes += sizeof argument + argument.key.size();
    if (const auto* text = std::get_if<std::string>(&argument.value)) bytes += text->size();
    if (const auto* name = std::get_if<ScheduleName>(&argument.value)) bytes += name->name.size();
  }
  return bytes;
}

}  // namespace

void ScheduleRecorder::record(ScheduleStatement statement) {
  if (statements_.size() == MaxStatements) {
    throw Stop{fmt::format("the text has more than {} schedule statements; does a loop write them?",
                           MaxStatements)};
  }
  lua_.charge(size_in_memory(statement));
  statements_.push_back(std::move(statement));
}

void ScheduleRecorder::record_for_value(ScheduleStatement statement, std::vector<ExprId> entries) {
  record(std::move(statement));
  on_values_.emplace_back(statements_.size() - 1, std::move(entries));
}

void ScheduleRecorder::record_for_sum(ScheduleStatement statement, std::size_t position) {
  record(std::move(statement));
  on_sums_.emplace_back(statements_.size() - 1, position);
}

void ScheduleRecorder::repeat(const std::string& from, const std::string& to) {
  const ScheduleStatement asking = statements_.back();
  const std::size_t num_so_far = statements_.size();
  for (std::size_t i = 0; i < num_so_far; ++i) {
    ScheduleStatement statement = statements_[i];
    const bool is_of_part = statement.on.kind == ScheduleName::Kind::Part ||
                            statement.on.kind == ScheduleName::Kind::Product;
    if (!is_of_part || statement.on.name != from) continue;
    if (statement.method == "split_merge" || statement.method == AssumeSchedule) continue;
    statement.on.name = to;
    statement.where = asking.where;
    statement.end = asking.end;
    statement.assumed_of = from;
    record(std::move(statement));
  }
}

void ScheduleRecorder::name_values(TextLoad& load) {
  for (const auto& [position, entries] : on_values_) {
    ScheduleStatement& statement = statements_[position];
    statement.on.name = load.find_intermediate(entries);
    if (statement.on.name.empty()) statement.on.name = load.store_written(entries, statement.where);
    if (!statement.on.name.empty()) continue;
    load.report({fmt::format("{}: no residual is made of the expression as it stands, so that it "
                             "is no intermediate; v:get(i, ...) makes one of v",
                             statement.method),
                 statement.where});
  }
}

Expected<std::vector<ScheduleStatement>> ScheduleRecorder::take(const Energy* energy) && {
  for (const auto& [position, sum] : on_sums_) {
    ScheduleStatement& statement = statements_[position];
    const NamedSum& named = energy->sums()[sum];
    if (!named.sum.valid()) {
      std::vector<std::string> legal;
      for (const PlannedSum& other : default_plan(*energy).sums) legal.push_back(other.name);
      return fail(
          Diagnostic{fmt::format("{}: no residual is made of the Sum{}", statement.method,
                                 named.name.empty() ? "" : fmt::format(" '{}'", named.name)),
                     statement.where, std::move(legal)});
    }
    statement.on.name = named.name;
  }
  return std::move(statements_);
}

}  // namespace thallo::language
