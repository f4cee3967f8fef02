// block: the launch shape of a kernel, threads per block; and how many threads a multiprocessor
// should have registers for, which keeps the compiler from using more.
//
//   r.fit:block{role="jtjp", threads=128}
//   r.fit:block{role="jtjp", threads=256, resident=1536}

#include <algorithm>
#include <array>
#include <memory>

#include <fmt/format.h>

#include "core/plugin/abi.h"
#include "core/plugin/registrar.h"
#include "core/schedule/arguments.h"

namespace thallo {
namespace {

constexpr const char* Backend = "backend's";
constexpr std::array Sizes = {64, 128, 256, 512, 1024};
constexpr std::array Residents = {1024, 1536, 2048};

// Without `resident` the compiler takes the registers it likes.
Choice threads(std::int64_t count, std::int64_t resident = 0) {
  if (resident == 0) return {std::to_string(count), {{"threads", count}}};
  return {fmt::format("{} of {}", count, resident), {{"threads", count}, {"resident", resident}}};
}

class Block final : public Construct {
 public:
  std::string_view name() const override { return "block"; }
  std::string_view doc() const override {
    return "How many threads a block of a kernel has, and a multiprocessor registers for.";
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
      result.push_back(threads(size));
      for (const int resident : Residents) result.push_back(threads(size, resident));
    }
    return result;
  }

  Expected<void> check(const Energy& energy, const Plan& plan, const Site& site,
                       const Choice& choice) const override {
    return check_offered(choices(energy, plan, site), choice,
                         fmt::format("block: threads of r.{}", site.name));
  }

  void apply(const Energy& /*energy*/, Plan& plan, const Site& site,
             const Choice& choice) const override {
    const auto [part, role] = parse_member_name(site.name);
    const auto number = [&](const char* name) {
      return static_cast<int>(choice.args.value_or(name, std::int64_t{0}));
    };
    find_part(plan, part)->launch[role] = {.threads_per_block = number("threads"),
                                           .resident_threads = number("resident")};
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
      const std::int64_t* count = nullptr;
      const std::int64_t* resident = nullptr;
      for (const ScheduleArgument& argument : statement.arguments) {
        if (argument.key == "role") role = std::get_if<std::string>(&argument.value);
        if (argument.key == "threads") count = std::get_if<std::int64_t>(&argument.value);
        if (argument.key == "resident") resident = std::get_if<std::int64_t>(&argument.value);
      }
      const std::size_t understood = resident == nullptr ? 2 : 3;
      if (statement.arguments.size() != understood || role == nullptr || count == nullptr) {
        return fault_in(statement,
                        "takes {role=\"jtjp\", threads=128}, and with it resident=1536 or not",
                        roles_of(energy, **part));
      }
      directives.push_back({"block",
                            {SiteKind::Role, MemberName{(*part)->name, *role}.text()},
                            threads(*count, resident == nullptr ? 0 : *resident)});
    }
    return directives;
  }

  std::string print(const Directive& directive) const override {
    const auto [part, role] = parse_member_name(directive.site.name);
    const Properties& args = directive.choice.args;
    const auto number = [&](const char* name) { return args.value_or(name, std::int64_t{0}); };
    const std::string resident =
        number("resident") == 0 ? "" : fmt::format(", resident={}", number("resident"));
    return fmt::format("r.{}:block{{role=\"{}\", threads={}{}}}", part, role, number("threads"),
                       resident);
  }
};

Expected<void> register_into(Registrar& registrar) {
  return registrar.add<Construct>("block", std::make_unique<Block>());
}

}  // namespace
}  // namespace thallo

THALLO_PLUGIN("block", "1.0.0", "", thallo::register_into);
