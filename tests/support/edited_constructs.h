// A construct for each kind of editor, which change no program: what is shown of constructs that
// nobody has heard of.
//
//   flag     Toggle     on (the default), off
//   flavor   OneOf      vanilla, chocolate, and salt, which is not legal
//   queue    Ordering   of load, compute, store; what is stored must have been computed
//   tile     Numbers    width and height, whose product is limited, and unroll, which may be unset
//   cluster  Placement  of parts, two together at most
//
// Each has a site for every part and is written r.PART:NAME("label").
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "core/kernel/construct_lowering.h"
#include "core/schedule/construct.h"

namespace thallo::test {

// Records its choices as extensions of the plan, {label=...}.
class EditedConstruct : public Construct, public ConstructLowering {
 public:
  explicit EditedConstruct(std::string_view name) : name_(name) {}

  std::string_view name() const override { return name_; }
  std::string_view doc() const override { return "Changes no program."; }
  Stage stage() const override { return Stage::LowLevel; }
  std::vector<Site> sites(const Energy& energy, const Plan& plan) const override;
  std::string refusal(const Site& site, const Choice& choice) const override;
  void apply(const Energy& energy, Plan& plan, const Site& site,
             const Choice& choice) const override;
  std::vector<Spelling> spellings() const override;
  Expected<std::vector<Directive>> parse(
      const Energy& energy, const Plan& plan, PartNames& names,
      std::span<const ScheduleStatement> statements) const override;
  std::string print(const Directive& directive) const override;
  void lower(const PlannedExtension& /*extension*/, KernelProgram& /*program*/,
             Kernel& /*kernel*/) const override {}

 private:
  std::string_view name_;
};

std::vector<std::unique_ptr<Construct>> make_edited_constructs();

}  // namespace thallo::test
