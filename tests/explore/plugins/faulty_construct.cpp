// The construct 'faulty', with which compiling crashes, takes forever or takes more memory than
// there is, or makes a program that computes something else, or that crashes or takes forever when
// it runs. What explorations must survive.
#include <unistd.h>

#include <cstdlib>
#include <memory>
#include <vector>

#include <fmt/format.h>

#include "core/kernel/construct_lowering.h"
#include "core/plugin/abi.h"
#include "core/plugin/registrar.h"
#include "core/schedule/arguments.h"
#include "core/schedule/construct.h"

namespace {

using namespace thallo;

class Faulty final : public Construct, public ConstructLowering {
 public:
  std::string_view name() const override { return "faulty"; }
  std::string_view doc() const override { return "What goes wrong."; }
  Stage stage() const override { return Stage::LowLevel; }

  std::vector<Site> sites(const Energy& /*energy*/, const Plan& plan) const override {
    std::vector<Site> sites;
    for (const Part& part : plan.parts) sites.push_back({SiteKind::Part, part.name});
    return sites;
  }
  std::vector<Alternative> alternatives(const Energy& /*energy*/, const Plan& /*plan*/,
                                        const Site& /*site*/) const override {
    std::vector<Alternative> alternatives = {{{"nothing", {}}}};
    for (const char* fault : Faults) alternatives.push_back({{fault, {}}});
    return alternatives;
  }
  std::string refusal(const Site& site, const Choice& choice) const override {
    return fmt::format("faulty: r.{} cannot be '{}'", site.name, choice.label);
  }
  void apply(const Energy& /*energy*/, Plan& plan, const Site& site,
             const Choice& choice) const override {
    if (choice.label == "nothing") return;
    Properties args = choice.args;
    args.set("fault", PropertyValue(choice.label));
    plan.extensions.push_back({this, site.name, args});
  }

  std::vector<Spelling> spellings() const override {
    std::vector<Spelling> spellings;
    for (const char* fault : Faults) spellings.push_back({ScheduleName::Kind::Part, fault});
    return spellings;
  }
  Expected<Directive> read(const Energy& /*energy*/, const Plan& plan, const PartNames& names,
                           const ScheduleStatement& statement) const override {
    const auto part = part_in(statement, plan, names);
    if (!part) return fail(part.error());
    return Directive{"faulty", {SiteKind::Part, (*part)->name}, {statement.method, {}}};
  }
  std::string print(const Directive& directive) const override {
    return fmt::format("r.{}:{}()", directive.site.name, directive.choice.label);
  }

  void lower(const PlannedExtension& extension, KernelProgram& program,
             Kernel& kernel) const override {
    const std::string fault = *extension.args.require<std::string>("fault");
    if (fault == "crash") std::abort();
    while (fault == "hang") pause();
    if (fault == "memory") std::vector<char>(std::size_t{1} << 62).back() = 1;
    for (Section& section : kernel.sections) {
      if (fault == "running_hang") {
        repeat(section);
        continue;
      }
      for (Statement& statement : section.body) {
        auto* add = std::get_if<ScatterAdd>(&statement.node);
        if (add == nullptr) continue;
        if (fault == "running_crash") {
          add->channel = 1 << 30;  // of one: gigabytes beyond the field
        } else {
          add->value = program.graph.mul(program.graph.constant(2), add->value);
        }
      }
    }
  }

 private:
  static constexpr const char* Faults[] = {"wrong",  "crash",         "hang",
                                           "memory", "running_crash", "running_hang"};

  // The body again and again, for longer than anyone waits.
  static void repeat(Section& section) {
    for (int i = 0; i < 12; ++i) {
      Loop loop{section.domains, std::move(section.body)};
      section.body = {};
      section.body.push_back({std::move(loop)});
    }
  }
};

Expected<void> register_into(Registrar& registrar) {
  return registrar.add<Construct>("faulty", std::make_unique<Faulty>());
}

}  // namespace

THALLO_PLUGIN("faulty", "0.1.0", "", register_into);
