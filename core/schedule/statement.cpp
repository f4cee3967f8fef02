#include "core/schedule/statement.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.h"

namespace thallo {

std::string value_text(const ScheduleValue& value) {
  struct Printer {
    std::string operator()(bool b) const { return b ? "true" : "false"; }
    std::string operator()(std::int64_t i) const { return std::to_string(i); }
    std::string operator()(double d) const { return fmt::format("{}", d); }
    std::string operator()(const std::string& s) const { return fmt::format("\"{}\"", s); }
    std::string operator()(const ScheduleName& name) const { return name.text(); }
    std::string operator()(const ScheduleDomain& domain) const { return domain.name; }
  };
  return std::visit(Printer{}, value);
}

namespace {

// True if it is the argument at this place, counted from 0.
bool stands_at(const ScheduleArgument& argument, std::size_t place) {
  return argument.key.empty() && argument.position == static_cast<std::int64_t>(place) + 1;
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

bool ScheduleStatement::is_by_position() const {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (!stands_at(arguments[i], i)) return false;
  }
  return true;
}

std::string ScheduleStatement::text() const {
  std::vector<std::string> texts;
  const bool is_table = !is_by_position();
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const auto& [key, position, value] = arguments[i];
    if (stands_at(arguments[i], i)) {
      texts.push_back(value_text(value));
    } else {
      texts.push_back(fmt::format("{}={}", key.empty() ? fmt::format("[{}]", position) : key,
                                  value_text(value)));
    }
  }
  return fmt::format("{}:{}{}{}{}", on.text(), method, is_table ? '{' : '(', fmt::join(texts, ", "),
                     is_table ? '}' : ')');
}

}  // namespace thallo
