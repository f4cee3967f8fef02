// The construct 'doubled', whose code is wrong: every contribution that a kernel of the part
// scatters counts twice. What `thallo verify` is tried on.
#include <memory>

#include <fmt/format.h>

#include "core/kernel/construct_lowering.h"
#include "core/plugin/abi.h"
#include "core/plugin/registrar.h"
#include "core/schedule/arguments.h"
#include "core/schedule/construct.h"

namespace {

using namespace thallo;

class Doubled final : public Construct, public ConstructLowering {
 public:
  std::string_view name() const override { return "doubled"; }
  std::string_view doc() const override { return "Contributions count twice."; }
  Stage stage() const override { return Stage::LowLevel; }

  std::vector<Site> sites(const Energy& /*energy*/, const Plan& plan) const override {
    std::vector<Site> sites;
    for (const Part& part : plan.parts) sites.push_back({SiteKind::Part, part.name});
    return sites;
  }
  std::vector<Alternative> alternatives(const Energy& /*energy*/, const Plan& /*plan*/,
                                        const Site& /*site*/) const override {
    return {{{"off", {}}}, {{"on", {}}}};
  }
  Editor editor(const Energy& /*energy*/, const Plan& /*plan*/,
                const Site& /*site*/) const override {
    return Toggle{};
  }
  std::string refusal(const Site& site, const Choice& choice) const override {
    return fmt::format("doubled: r.{} cannot be '{}'", site.name, choice.label);
  }

  void apply(const Energy& /*energy*/, Plan& plan, const Site& site,
             const Choice& choice) const override {
    if (choice.label == "on") plan.extensions.push_back({this, site.name, choice.args});
  }

  std::vector<Spelling> spellings() const override {
    return {{ScheduleName::Kind::Part, "doubled"}};
  }
  Expected<Directive> read(const Energy& /*energy*/, const Plan& plan, const PartNames& names,
                           const ScheduleStatement& statement) const override {
    const auto part = part_in(statement, plan, names);
    if (!part) return fail(part.error());
    return Directive{"doubled", {SiteKind::Part, (*part)->name}, {"on", {}}};
  }
  std::string print(const Directive& directive) const override {
    return fmt::format("r.{}:doubled()", directive.site.name);
  }

  void lower(const PlannedExtension& /*extension*/, KernelProgram& program,
             Kernel& kernel) const override {
    for (Section& section : kernel.sections) {
      for (Statement& statement : section.body) {
        auto* add = std::get_if<ScatterAdd>(&statement.node);
        if (add) add->value = program.graph.mul(program.graph.constant(2), add->value);
      }
    }
  }
};

Expected<void> register_into(Registrar& registrar) {
  return registrar.add<Construct>("doubled", std::make_unique<Doubled>());
}

}  // namespace

THALLO_PLUGIN("doubled", "0.1.0", "", register_into);
