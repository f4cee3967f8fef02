#include "core/schedule/statement.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.h"

namespace thallo {
namespace {

std::string text_of(const ScheduleValue& value) {
  struct Printer {
    std::string operator()(bool b) const { return b ? "true" : "false"; }
    std::string operator()(std::int64_t i) const { return std::to_string(i); }
    std::string operator()(double d) const { return fmt::format("{}", d); }
    std::string operator()(const std::string& s) const { return fmt::format("\"{}\"", s); }
    std::string operator()(const ScheduleName& name) const { return name.text(); }
    std::string operator()(DomainId) const { return "a domain"; }
  };
  return std::visit(Printer{}, value);
}

}  // namespace

std::string ScheduleName::text() const {
  switch (kind) {
    case Kind::Energy: return "r";
    case Kind::Part: return "r." + name;
    case Kind::Product: return fmt::format("r.{}.{}", name, product);
    case Kind::Bare: return name;
  }
  THALLO_UNREACHABLE();
}

std::string ScheduleStatement::text() const {
  std::vector<std::string> texts;
  for (const ScheduleArgument& argument : arguments) {
    texts.push_back(argument.key.empty()
                        ? text_of(argument.value)
                        : fmt::format("{} = {}", argument.key, text_of(argument.value)));
  }
  return fmt::format("{}:{}({})", on.text(), method, fmt::join(texts, ", "));
}

}  // namespace thallo
