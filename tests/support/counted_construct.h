// A loaded construct that counts what it is asked, for tests of how work grows.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "core/base/error.h"
#include "core/energy/builder.h"
#include "tests/support/loaded_constructs.h"

namespace thallo::test {

struct AskedCounts {
  std::size_t sites = 0;       // calls of sites(), one for each plan that decides something there
  std::size_t lists = 0;       // calls of alternatives()
  std::size_t statements = 0;  // given to parse()
};

class CountedConstruct final : public Construct {
 public:
  CountedConstruct(const Construct& counted, AskedCounts& counts)
      : counted_(counted), counts_(counts) {}

  std::string_view name() const override { return counted_.name(); }
  std::string_view doc() const override { return counted_.doc(); }
  Stage stage() const override { return counted_.stage(); }
  std::vector<Site> sites(const Energy& energy, const Plan& plan) const override {
    ++counts_.sites;
    return counted_.sites(energy, plan);
  }
  std::vector<Alternative> alternatives(const Energy& energy, const Plan& plan,
                                        const Site& site) const override {
    ++counts_.lists;
    return counted_.alternatives(energy, plan, site);
  }
  std::optional<Alternative> find(const Energy& energy, const Plan& plan, const Site& site,
                                  const Choice& choice) const override {
    return counted_.find(energy, plan, site, choice);
  }
  Choice default_choice(const Energy& energy, const Plan& plan, const Site& site) const override {
    return counted_.default_choice(energy, plan, site);
  }
  std::string refusal(const Site& site, const Choice& choice) const override {
    return counted_.refusal(site, choice);
  }
  void apply(const Energy& energy, Plan& plan, const Site& site,
             const Choice& choice) const override {
    counted_.apply(energy, plan, site, choice);
  }
  std::vector<Spelling> spellings() const override { return counted_.spellings(); }
  Expected<std::vector<Directive>> parse(
      const Energy& energy, const Plan& plan, PartNames& names,
      std::span<const ScheduleStatement> statements) const override {
    counts_.statements += statements.size();
    return counted_.parse(energy, plan, names, statements);
  }
  std::string print(const Directive& directive) const override { return counted_.print(directive); }

 private:
  const Construct& counted_;
  AskedCounts& counts_;
};

// Returns these loaded constructs, and counts what all of them are asked.
inline ConstructRegistry counted_constructs(std::initializer_list<std::string_view> names,
                                            AskedCounts& counts) {
  ConstructRegistry registry("construct");
  for (const std::string_view name : names) {
    auto counted = std::make_unique<CountedConstruct>(*loaded_constructs().find(name), counts);
    const auto added = registry.add(std::string(name), std::move(counted), "test (1.0.0)");
    THALLO_ASSERT(added.has_value(), "{}", added.error().message());
  }
  return registry;
}

// An energy of residual groups r1, r2 ... over one dim, which can all be one part.
inline Energy energy_of_groups(int num_groups) {
  EnergyBuilder e("groups");
  const DimId N = e.dim("N");
  const FieldHandle x = e.unknown("X", {N}), a = e.array("A", {N});
  const IndexExpr n = e.domain(N);
  for (int i = 1; i <= num_groups; ++i) e.residual("r" + std::to_string(i), i * x(n) - a(n));
  return *std::move(e).build();
}

}  // namespace thallo::test
