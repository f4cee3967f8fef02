// block: the launch shape of a kernel, threads per block.
//
//   r.fit:block{role="jtjp", threads=128}

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

Choice threads(std::int64_t count) { return {std::to_string(count), {{"threads", count}}}; }

class Block final : public Construct {
 public:
  std::string_view name() const override { return "block"; }
  std::string_view doc() const override { return "How many threads a block of a kernel has."; }
  Stage stage() const override { return Stage::LowLevel; }
  EditorHint editor() const override { return EditorHint::Number; }

  std::vector<Site> sites(const Energy& /*energy*/, const Plan& plan) const override {
    std::vector<Site> sites;
    for (const Part& part : plan.parts) {
      for (const std::string& role : roles_of(part)) {
        sites.push_back({SiteKind::Role, MemberName{part.name, role}.text()});
      }
    }
    return sites;
  }

  std::vector<Choice> choices(const Energy& /*energy*/, const Plan& /*plan*/,
                              const Site& /*site*/) const override {
    std::vector<Choice> result = {{Backend, {}}};
    for (const int size : Sizes) result.push_back(threads(size));
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
    find_part(plan, part)->launch[role].threads_per_block =
        static_cast<int>(choice.args.value_or("threads", std::int64_t{0}));
  }

  std::vector<Spelling> spellings() const override { return {{ScheduleName::Kind::Part, "block"}}; }

  Expected<std::vector<Directive>> parse(
      const Energy& /*energy*/, const Plan& plan, PartNames& names,
      std::span<const ScheduleStatement> statements) const override {
    std::vector<Directive> directives;
    for (const ScheduleStatement& statement : statements) {
      const auto part = part_in(statement, plan, names);
      if (!part) return tl::unexpected(part.error());
      const std::string* role = nullptr;
      const std::int64_t* count = nullptr;
      for (const ScheduleArgument& argument : statement.arguments) {
        if (argument.key == "role") role = std::get_if<std::string>(&argument.value);
        if (argument.key == "threads") count = std::get_if<std::int64_t>(&argument.value);
      }
      if (statement.arguments.size() != 2 || role == nullptr || count == nullptr) {
        return fault_in(statement, "takes {role=\"jtjp\", threads=128}", roles_of(**part));
      }
      directives.push_back(
          {"block", {SiteKind::Role, MemberName{(*part)->name, *role}.text()}, threads(*count)});
    }
    return directives;
  }

  std::string print(const Directive& directive) const override {
    const auto [part, role] = parse_member_name(directive.site.name);
    return fmt::format("r.{}:block{{role=\"{}\", threads={}}}", part, role, directive.choice.label);
  }
};

Expected<void> register_into(Registrar& registrar) {
  return registrar.add<Construct>("block", std::make_unique<Block>());
}

}  // namespace
}  // namespace thallo

THALLO_PLUGIN("block", "1.0.0", "", thallo::register_into);
