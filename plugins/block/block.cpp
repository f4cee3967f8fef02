// block: the launch shape of a kernel, threads per block; how many threads a multiprocessor should
// have registers for, which keeps the compiler from using more; and how many rows (points of the
// part, or elements that are gathered) a thread computes, one after the other.
//
//   r.fit:block{role="jtjp", threads=128}
//   r.fit:block{role="jtjp", threads=256, resident=1536, rows=4}

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "core/plugin/abi.h"
#include "core/plugin/registrar.h"
#include "core/schedule/arguments.h"

namespace thallo {
namespace {

constexpr const char* Backend = "backend's";
constexpr std::array Sizes = {64, 128, 256, 512, 1024};
// 0: the compiler takes the registers it likes, the backend as many blocks as it likes.
constexpr std::array Residents = {0, 1024, 1536, 2048};
constexpr std::array Rows = {0, 1, 2, 4, 8};

Choice choice_of(std::int64_t threads, std::int64_t resident, std::int64_t rows) {
  Choice choice{std::to_string(threads), {{"threads", threads}}};
  if (resident > 0) {
    choice.label += fmt::format(" of {}", resident);
    choice.args.set("resident", resident);
  }
  if (rows > 0) {
    choice.label += fmt::format(", {} a thread", rows);
    choice.args.set("rows", rows);
  }
  return choice;
}

class Block final : public Construct {
 public:
  std::string_view name() const override { return "block"; }
  std::string_view doc() const override {
    return "How many threads a block of a kernel has, a multiprocessor registers for, and rows a "
           "thread.";
  }
  Stage stage() const override { return Stage::LowLevel; }
  EditorHint editor() const override { return EditorHint::Number; }

  std::vector<Site> sites(const Energy& energy, const Plan& plan) const override {
    std::vector<Site> sites;
    for (const Part& part : plan.parts) {
      for (const std::string& role : roles_of(energy, part)) {
        sites.push_back({SiteKind::Role, MemberName{part.name, role}.text()});
      }
    }
    return sites;
  }

  std::vector<Choice> choices(const Energy& /*energy*/, const Plan& /*plan*/,
                              const Site& /*site*/) const override {
    std::vector<Choice> result = {{Backend, {}}};
    for (const int size : Sizes) {
      for (const int resident : Residents) {
        for (const int rows : Rows) result.push_back(choice_of(size, resident, rows));
      }
    }
    return result;
  }

  // Number by number: a list of all their combinations would say less.
  Expected<void> check(const Energy& energy, const Plan& plan, const Site& site,
                       const Choice& choice) const override {
    for (const auto& [name, legal] : {std::pair("threads", std::span<const int>(Sizes)),
                                      std::pair("resident", std::span<const int>(Residents)),
                                      std::pair("rows", std::span<const int>(Rows))}) {
      const std::int64_t number = choice.args.value_or(name, std::int64_t{0});
      if (number == 0 || std::ranges::find(legal, number) != legal.end()) continue;
      std::vector<std::string> numbers;
      for (const int n : legal) {
        if (n > 0) numbers.push_back(std::to_string(n));
      }
      return fail(Diagnostic{
          fmt::format("block: {} of r.{} cannot be {}", name, site.name, number), {}, numbers});
    }
    return check_offered(choices(energy, plan, site), choice,
                         fmt::format("block: shape of r.{}", site.name));
  }

  void apply(const Energy& /*energy*/, Plan& plan, const Site& site,
             const Choice& choice) const override {
    const auto [part, role] = parse_member_name(site.name);
    const auto number = [&](const char* name) {
      return static_cast<int>(choice.args.value_or(name, std::int64_t{0}));
    };
    find_part(plan, part)->launch[role] = {.threads_per_block = number("threads"),
                                           .resident_threads = number("resident"),
                                           .rows_per_thread = number("rows")};
  }

  std::vector<Spelling> spellings() const override { return {{ScheduleName::Kind::Part, "block"}}; }

  Expected<std::vector<Directive>> parse(
      const Energy& energy, const Plan& plan, PartNames& names,
      std::span<const ScheduleStatement> statements) const override {
    std::vector<Directive> directives;
    for (const ScheduleStatement& statement : statements) {
      const auto part = part_in(statement, plan, names);
      if (!part) return tl::unexpected(part.error());
      const std::string* role = nullptr;
      std::map<std::string, std::int64_t> numbers = {{"threads", 0}, {"resident", 0}, {"rows", 0}};
      std::size_t num_understood = 0;
      for (const ScheduleArgument& argument : statement.arguments) {
        const auto number = numbers.find(argument.key);
        const auto* value = std::get_if<std::int64_t>(&argument.value);
        if (argument.key == "role") role = std::get_if<std::string>(&argument.value);
        if (number != numbers.end() && value != nullptr) number->second = *value;
        num_understood += argument.key == "role" || (number != numbers.end() && value != nullptr);
      }
      if (num_understood != statement.arguments.size() || role == nullptr ||
          numbers["threads"] == 0) {
        return fault_in(
            statement,
            "takes {role=\"jtjp\", threads=128}, and with it resident=1536 and rows=4 or not",
            roles_of(energy, **part));
      }
      directives.push_back({"block",
                            {SiteKind::Role, MemberName{(*part)->name, *role}.text()},
                            choice_of(numbers["threads"], numbers["resident"], numbers["rows"])});
    }
    return directives;
  }

  std::string print(const Directive& directive) const override {
    const auto [part, role] = parse_member_name(directive.site.name);
    const Properties& args = directive.choice.args;
    const auto number = [&](const char* name) { return args.value_or(name, std::int64_t{0}); };
    std::string text = fmt::format("r.{}:block{{role=\"{}\"", part, role);
    for (const char* name : {"threads", "resident", "rows"}) {
      if (number(name) != 0) text += fmt::format(", {}={}", name, number(name));
    }
    return text + "}";
  }
};

Expected<void> register_into(Registrar& registrar) {
  return registrar.add<Construct>("block", std::make_unique<Block>());
}

}  // namespace
}  // namespace thallo

THALLO_PLUGIN("block", "1.0.0", "", thallo::register_into);
