#include "core/cli/commands/construct_skeleton.h"

namespace thallo::cli {
namespace {

// After SkeletonCMakeHead.
constexpr const char* ConstructCMake = R"(# Makes build/lib/thallo/plugins/@NAME@.thallo.so.
thallo_add_plugin(@NAME@ SOURCES @NAME@.cpp)

# What schedules with the construct compute is what the energy defines.
enable_testing()
set(thallo thallo::thallo --plugin-path $<TARGET_FILE_DIR:plugin_@NAME@>)
set(verify ${thallo} verify image_warping --size 16 --backend interpreter)
add_test(NAME example COMMAND ${verify} --schedule ${CMAKE_CURRENT_SOURCE_DIR}/example.sched)
add_test(NAME sample COMMAND ${verify} --sample 20)
)";

constexpr const char* ConstructSource =
    R"text(// @NAME@: atomic additions of zeros are left out.
//
// Site: each part that scatters.
//
// Choices: off (the default), or on.
//
// - `part:@NAME@(on)`: without an argument true.
//
// Effect: fewer atomics, one comparison more for each contribution.
//
// Legality: a part whose products are all gathered adds nothing to memory and is no site.
//
// Example:
//
// ```lua
// r.fit:@NAME@(true)
// ```

#include <memory>
#include <utility>

#include <fmt/format.h>

#include "core/kernel/construct_lowering.h"
#include "core/plugin/abi.h"
#include "core/plugin/registrar.h"
#include "core/schedule/arguments.h"
#include "core/schedule/construct.h"
#include "core/schedule/roles.h"

namespace {

using namespace thallo;

class @CLASS@Construct final : public Construct, public ConstructLowering {
 public:
  std::string_view name() const override { return "@NAME@"; }
  std::string_view doc() const override { return "Atomic additions of zeros are left out."; }
  Stage stage() const override { return Stage::LowLevel; }

  // Every part that scatters.
  std::vector<Site> sites(const Energy& energy, const Plan& plan) const override {
    std::vector<Site> sites;
    for (const Part& part : plan.parts) {
      if (!scattering_roles(energy, part).empty())
        sites.push_back({SiteKind::Part, part.name});
    }
    return sites;
  }

  // The first is the default. One that is not legal would come with the reason.
  std::vector<Alternative> alternatives(const Energy&, const Plan&, const Site&) const override {
    return {{{"off", {}}}, {{"on", {}}}};
  }
  Editor editor(const Energy&, const Plan&, const Site&) const override { return Toggle{}; }
  std::string refusal(const Site& site, const Choice& choice) const override {
    return fmt::format("@NAME@: r.{} cannot be '{}'", site.name, choice.label);
  }

  void apply(const Energy&, Plan& plan, const Site& site, const Choice& choice) const override {
    if (choice.label == "on") plan.extensions.push_back({this, site.name, choice.args});
  }

  // In text: r.fit:@NAME@(true)
  std::vector<Spelling> spellings() const override {
    return {{ScheduleName::Kind::Part, "@NAME@"}};
  }
  Expected<std::vector<Directive>> parse(
      const Energy&, const Plan& plan, PartNames& names,
      std::span<const ScheduleStatement> statements) const override {
    std::vector<Directive> directives;
    for (const ScheduleStatement& statement : statements) {
      const auto part = part_in(statement, plan, names);
      if (!part) return fail(part.error());
      const auto on = flag_argument(statement, true);
      if (!on) return fail(on.error());
      directives.push_back(
          {"@NAME@", {SiteKind::Part, (*part)->name}, {*on ? "on" : "off", {}}});
    }
    return directives;
  }
  std::string print(const Directive& directive) const override {
    return fmt::format("r.{}:@NAME@({})", directive.site.name, directive.choice.label == "on");
  }

  // The code: each atomic addition moves into a branch.
  void lower(const PlannedExtension&, KernelProgram& program, Kernel& kernel) const override {
    for (Section& section : kernel.sections) guard_additions(program.graph, section.body);
  }

 private:
  static void guard_additions(ExprGraph& graph, Block& block) {
    for (Statement& statement : block) {
      if (auto* loop = std::get_if<Loop>(&statement.node)) guard_additions(graph, loop->body);
      if (auto* guard = std::get_if<Guard>(&statement.node)) guard_additions(graph, guard->body);
      if (const auto* add = std::get_if<ScatterAdd>(&statement.node)) {
        const ExprId is_zero = graph.binary(Op::Eq, add->value, graph.constant(0));
        statement = {Guard{graph.logical_not(is_zero), {Statement{*add}}}};
      }
    }
  }
};

Expected<void> register_into(Registrar& registrar) {
  return registrar.add<Construct>("@NAME@", std::make_unique<@CLASS@Construct>());
}

}  // namespace

THALLO_PLUGIN("@NAME@", "1.0.0", "", register_into);
)text";

constexpr const char* ConstructSchedule = R"(r.fit:@NAME@(true)
r.reg_left:@NAME@(true)
)";

constexpr const char* ConstructReadme = R"(# @NAME@

A construct for Thallo @VERSION@, a kind of decision that schedules are made of. As written by
`thallo new construct` it leaves out atomic additions of zeros; put your own decision in its place.
docs/plugin_guide.md of Thallo explains it from top to bottom.

| file | what is in it |
|---|---|
| `@NAME@.cpp` | where it is decided, what can be chosen, how it is written, and what it does to kernels |
| `example.sched` | a schedule of the problem image_warping that uses it |
| `CMakeLists.txt` | the build, and two tests |

    cmake -B build -DCMAKE_PREFIX_PATH=DIR && cmake --build build     # DIR: where Thallo is installed
    ctest --test-dir build
    thallo --plugin-path build/lib/thallo/plugins explain image_warping --schedule example.sched

`thallo plugins` then lists it, `thallo explain --choices` shows its choices at every site, and
`thallo explore` tries them. `THALLO_PLUGIN_PATH=build/lib/thallo/plugins` saves the flag, also for
thallo-explorer; `cmake --install build --prefix DIR` puts the plugin where that Thallo looks by itself. A
changed Thallo needs a new build of the plugin: `thallo plugins` says so.
)";

}  // namespace

std::vector<SkeletonFile> construct_skeleton(std::string_view name, std::string_view version) {
  const std::string stem(name);
  return filled_skeleton({{"CMakeLists.txt", std::string(SkeletonCMakeHead) + ConstructCMake},
                          {stem + ".cpp", ConstructSource},
                          {"example.sched", ConstructSchedule},
                          {"README.md", ConstructReadme}},
                         name, version);
}

}  // namespace thallo::cli
