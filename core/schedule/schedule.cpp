#include "core/schedule/schedule.h"

#include <algorithm>
#include <iterator>
#include <span>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/suggest.h"
#include "core/schedule/carry_over.h"

namespace thallo {
namespace {

// Applies the directives of each construct site by site, in the construct's own order, so that the
// decision at one site can change what is offered at the next. Keeps the directives that differ
// from the default: they are the normal form.
class Application {
 public:
  // With `dropped`, directives that are illegal are noted there and left out, but for those in
  // `must_keep`, which are of the schedule that is run.
  Application(const Energy& energy, const ConstructRegistry& constructs,
              std::vector<EditedSchedule::Dropped>* dropped = nullptr,
              std::span<const Directive> must_keep = {})
      : energy_(energy),
        constructs_(constructs),
        plan_(default_plan(energy)),
        dropped_(dropped),
        must_keep_(must_keep) {}

  Expected<void> run(const Schedule& schedule) {
    for (const Directive& directive : schedule.directives()) {
      THALLO_CHECK(constructs_.lookup(directive.construct));
    }
    for (const Construct* construct : in_stage_order(constructs_)) {
      THALLO_CHECK(run(*construct, schedule));
    }
    return {};
  }

  const Plan& plan() const { return plan_; }
  Plan take_plan() && { return std::move(plan_); }
  Schedule take_normal_form() && { return Schedule(std::move(kept_)); }

 private:
  Expected<void> run(const Construct& construct, const Schedule& schedule) {
    // The last directive of a site counts.
    std::map<Site, const Directive*> wanted;
    for (const Directive& directive : schedule.directives()) {
      if (directive.construct == construct.name()) wanted[directive.site] = &directive;
    }
    if (wanted.empty()) return {};
    for (const Site& site : construct.sites(energy_, plan_)) {
      const auto found = wanted.find(site);
      if (found == wanted.end()) continue;
      const Directive& directive = *found->second;
      wanted.erase(found);
      const auto meant = construct.find(energy_, plan_, site, directive.choice);
      if (!meant || !meant->legal) {
        const auto refused = construct.check(energy_, plan_, site, directive.choice);
        THALLO_CHECK(refuse(directive, refused.error()));
        continue;
      }
      if (meant->choice.label == construct.default_choice(energy_, plan_, site).label) continue;
      construct.apply(energy_, plan_, site, directive.choice);
      kept_.push_back(directive);
    }
    for (const auto& [site, directive] : wanted) {
      const auto refused = no_site(construct, *directive);
      THALLO_CHECK(refuse(*directive, refused.error()));
    }
    return {};
  }

  // Fails, unless the directive may be dropped.
  Expected<void> refuse(const Directive& directive, const Diagnostic& why) {
    const bool is_kept =
        std::ranges::any_of(must_keep_, [&](const Directive& kept) { return &kept == &directive; });
    if (dropped_ == nullptr || is_kept) return fail(why);
    dropped_->push_back({directive, why});
    return {};
  }

  Expected<void> no_site(const Construct& construct, const Directive& directive) const {
    std::vector<std::string> names;
    std::vector<std::string> legal;
    for (const Site& site : construct.sites(energy_, plan_)) {
      names.push_back(site.name);
      legal.push_back(construct.print(
          {std::string(construct.name()), site, construct.choices(energy_, plan_, site).front()}));
    }
    return fail(
        Diagnostic{fmt::format("{}: this energy and the other decisions give no {} '{}' to "
                               "decide on{}",
                               construct.name(), to_string(directive.site.kind),
                               directive.site.name, did_you_mean(directive.site.name, names)),
                   {},
                   legal});
  }

  const Energy& energy_;
  const ConstructRegistry& constructs_;
  Plan plan_;
  std::vector<Directive> kept_;
  std::vector<EditedSchedule::Dropped>* dropped_;
  std::span<const Directive> must_keep_;
};

bool is_of_partition(const Directive& directive, const ConstructRegistry& constructs) {
  const Construct* construct = constructs.find(directive.construct);
  return construct != nullptr && construct->stage() == Stage::Partition;
}

// Those that decide elsewhere than `decided`, and then these.
std::vector<Directive> beside(const std::vector<Directive>& said,
                              const std::vector<Directive>& decided) {
  std::vector<Directive> all;
  std::ranges::copy_if(said, std::back_inserter(all), [&](const Directive& directive) {
    return std::ranges::none_of(decided, [&](const Directive& other) {
      return other.construct == directive.construct && other.site == directive.site;
    });
  });
  all.insert(all.end(), decided.begin(), decided.end());
  return all;
}

// What is said of parts, as it is said of the parts that `decided` makes of them.
Expected<std::vector<Directive>> carried_over(const Energy& energy,
                                              const std::vector<Directive>& said,
                                              const std::vector<Directive>& decided,
                                              const ConstructRegistry& constructs,
                                              std::vector<EditedSchedule::Dropped>& dropped) {
  const auto is_of = [&](const Directive& directive) {
    return is_of_partition(directive, constructs);
  };
  std::vector<Directive> old_places, new_places;
  std::ranges::copy_if(said, std::back_inserter(old_places), is_of);
  std::ranges::copy_if(decided, std::back_inserter(new_places), is_of);
  if (new_places.empty()) return said;
  THALLO_TRY(const auto before, make_plan(energy, Schedule(old_places), constructs));
  // What cannot be is told of the whole schedule.
  std::vector<EditedSchedule::Dropped> told_later;
  const Schedule wanted(beside(old_places, new_places));
  Application after(energy, constructs, &told_later,
                    std::span(wanted.directives()).last(new_places.size()));
  THALLO_CHECK(after.run(wanted));
  return carry_over(energy, said, before, after.plan(), constructs, dropped);
}

}  // namespace

std::string Schedule::text(const ConstructRegistry& constructs) const {
  std::string text;
  for (const Directive& directive : directives_) {
    const Construct* construct = constructs.find(directive.construct);
    THALLO_ASSERT(construct != nullptr, "no construct '{}'", directive.construct);
    text += construct->print(directive) + "\n";
  }
  return text;
}

Hash128 Schedule::hash(const ConstructRegistry& constructs) const {
  return hash_text(text(constructs));
}

std::vector<const Construct*> in_stage_order(const ConstructRegistry& constructs) {
  std::vector<const Construct*> ordered;
  for (const auto* entry : constructs.entries()) ordered.push_back(entry->item.get());
  std::ranges::stable_sort(ordered, {}, &Construct::stage);
  return ordered;
}

Expected<Plan> make_plan(const Energy& energy, const Schedule& schedule,
                         const ConstructRegistry& constructs) {
  Application application(energy, constructs);
  THALLO_CHECK(application.run(schedule));
  return std::move(application).take_plan();
}

Expected<Schedule> normal_form(const Energy& energy, const Schedule& schedule,
                               const ConstructRegistry& constructs) {
  Application application(energy, constructs);
  THALLO_CHECK(application.run(schedule));
  return std::move(application).take_normal_form();
}

Expected<EditedSchedule> edit(const Energy& energy, const Schedule& schedule,
                              const std::vector<Directive>& decided,
                              const ConstructRegistry& constructs) {
  EditedSchedule edited;
  THALLO_TRY(auto carried,
             carried_over(energy, schedule.directives(), decided, constructs, edited.dropped));
  const Schedule wanted(beside(carried, decided));
  Application application(energy, constructs, &edited.dropped,
                          std::span(wanted.directives()).last(decided.size()));
  THALLO_CHECK(application.run(wanted));
  edited.plan = application.plan();
  edited.schedule = std::move(application).take_normal_form();
  return edited;
}

}  // namespace thallo
