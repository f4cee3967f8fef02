#include "tests/support/edited_constructs.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "core/schedule/arguments.h"

namespace thallo::test {
namespace {

class Flag final : public EditedConstruct {
 public:
  Flag() : EditedConstruct("flag") {}
  std::vector<Alternative> alternatives(const Energy& /*energy*/, const Plan& /*plan*/,
                                        const Site& /*site*/) const override {
    return {{{"on", {}}}, {{"off", {}}}};
  }
  Editor editor(const Energy& /*energy*/, const Plan& /*plan*/,
                const Site& /*site*/) const override {
    return Toggle{.is_on_by_default = true};
  }
};

class Flavor final : public EditedConstruct {
 public:
  Flavor() : EditedConstruct("flavor") {}
  std::vector<Alternative> alternatives(const Energy& /*energy*/, const Plan& /*plan*/,
                                        const Site& /*site*/) const override {
    return {{{"vanilla", {}}}, {{"chocolate", {}}}, {{"salt", {}}, fail("it is no flavor")}};
  }
};

class Queue final : public EditedConstruct {
 public:
  Queue() : EditedConstruct("queue") {}
  std::vector<Alternative> alternatives(const Energy& /*energy*/, const Plan& /*plan*/,
                                        const Site& /*site*/) const override {
    std::vector<Alternative> result;
    std::vector<std::string> order = {"compute", "load", "store"};
    do {
      const bool is_computed =
          std::ranges::find(order, "compute") < std::ranges::find(order, "store");
      result.push_back({Ordering::choice(order),
                        is_computed ? Expected<void>() : fail("it stores what is not computed")});
    } while (std::ranges::next_permutation(order).found);
    const auto first = std::ranges::find(result, ordering().items, [&](const Alternative& a) {
      return *ordering().order(a.choice);
    });
    std::rotate(result.begin(), first, first + 1);
    return result;
  }
  Editor editor(const Energy& /*energy*/, const Plan& /*plan*/,
                const Site& /*site*/) const override {
    return ordering();
  }

 private:
  static Ordering ordering() { return {{"load", "compute", "store"}}; }
};

class Tile final : public EditedConstruct {
 public:
  Tile() : EditedConstruct("tile") {}
  std::vector<Alternative> alternatives(const Energy& /*energy*/, const Plan& /*plan*/,
                                        const Site& /*site*/) const override {
    std::vector<Alternative> result;
    for (const std::int64_t width : Sides) {
      for (const std::int64_t height : Sides) {
        for (const std::int64_t unroll : {0, 2, 4}) {
          Properties tile = {{"width", width}, {"height", height}};
          if (unroll > 0) tile.set("unroll", unroll);
          Expected<void> legal;
          if (width * height > 256) legal = fail("a tile has 256 points at most");
          result.push_back({numbers().choice(std::move(tile)), std::move(legal)});
        }
      }
    }
    return result;
  }
  Editor editor(const Energy& /*energy*/, const Plan& /*plan*/,
                const Site& /*site*/) const override {
    return numbers();
  }

 private:
  static constexpr std::int64_t Sides[] = {8, 16, 32};
  static Numbers numbers() {
    return {{{"width", "points in a row", {8, 16, 32}},
             {"height", "rows", {8, 16, 32}},
             {"unroll", "points at a time", {2, 4}, /*may_be_unset=*/true}}};
  }
};

class Cluster final : public EditedConstruct {
 public:
  Cluster() : EditedConstruct("cluster") {}
  std::vector<Alternative> alternatives(const Energy& /*energy*/, const Plan& plan,
                                        const Site& site) const override {
    std::vector<Alternative> result;
    for (const Placement::Place& place : placement_at(plan, site).places) {
      const bool is_full = place.with.size() > 1;
      result.push_back({place.choice, is_full ? fail("two are enough") : Expected<void>()});
    }
    return result;
  }
  Editor editor(const Energy& /*energy*/, const Plan& plan, const Site& site) const override {
    return placement_at(plan, site);
  }

 private:
  Placement placement_at(const Plan& plan, const Site& site) const {
    std::map<std::string, std::string> said;
    for (const PlannedExtension& extension : plan.extensions) {
      if (extension.construct == this)
        said[extension.part] = *extension.args.require<std::string>("label");
    }
    Placement placement{{{{"alone", {}}, {}}}};
    for (const Part& part : plan.parts) {
      if (part.name == site.name) break;
      if (const auto with = said.find(part.name); with != said.end()) {
        const auto place = std::ranges::find(placement.places, with->second,
                                             [](const auto& p) { return p.choice.label; });
        place->with.push_back(part.name);
      } else {
        placement.places.push_back({{"with " + part.name, {}}, {part.name}});
      }
    }
    return placement;
  }
};

}  // namespace

std::vector<Site> EditedConstruct::sites(const Energy& /*energy*/, const Plan& plan) const {
  std::vector<Site> sites;
  for (const Part& part : plan.parts) sites.push_back({SiteKind::Part, part.name});
  return sites;
}

std::string EditedConstruct::refusal(const Site& site, const Choice& choice) const {
  return fmt::format("{} of r.{} cannot be '{}'", name_, site.name, choice.label);
}

void EditedConstruct::apply(const Energy& /*energy*/, Plan& plan, const Site& site,
                            const Choice& choice) const {
  plan.extensions.push_back({this, site.name, {{"label", choice.label}}});
}

std::vector<Spelling> EditedConstruct::spellings() const {
  return {{ScheduleName::Kind::Part, name_}};
}

Expected<std::vector<Directive>> EditedConstruct::parse(
    const Energy& energy, const Plan& plan, PartNames& names,
    std::span<const ScheduleStatement> statements) const {
  std::vector<Directive> directives;
  for (const ScheduleStatement& statement : statements) {
    const auto part = part_in(statement, plan, names);
    if (!part) return fail(part.error());
    const auto label = text_argument(statement, "a label");
    if (!label) return fail(label.error());
    const Site site{SiteKind::Part, (*part)->name};
    const auto meant = find(energy, plan, site, {*label, {}});
    directives.push_back({std::string(name_), site, meant ? meant->choice : Choice{*label, {}}});
  }
  return directives;
}

std::string EditedConstruct::print(const Directive& directive) const {
  return fmt::format("r.{}:{}(\"{}\")", directive.site.name, name_, directive.choice.label);
}

std::vector<std::unique_ptr<Construct>> make_edited_constructs() {
  std::vector<std::unique_ptr<Construct>> constructs;
  constructs.push_back(std::make_unique<Flag>());
  constructs.push_back(std::make_unique<Flavor>());
  constructs.push_back(std::make_unique<Queue>());
  constructs.push_back(std::make_unique<Tile>());
  constructs.push_back(std::make_unique<Cluster>());
  return constructs;
}

}  // namespace thallo::test
