#include "core/schedule/carry_over.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>

#include <fmt/format.h>

namespace thallo {
namespace {

// The part that a site belongs to and what of it the site is; nothing for sites of no part.
std::optional<MemberName> member_of(const Site& site) {
  switch (site.kind) {
    case SiteKind::Part: return MemberName{site.name, ""};
    case SiteKind::Product:
    case SiteKind::Role: return parse_member_name(site.name);
    case SiteKind::Residual:
    case SiteKind::Intermediate:
    case SiteKind::Sum:
    case SiteKind::SolverVectors: break;
  }
  return {};
}

Site site_in(const Site& site, const std::string& part) {
  if (site.kind == SiteKind::Part) return {site.kind, part};
  return {site.kind, MemberName{part, parse_member_name(site.name).member}.text()};
}

class CarryOver {
 public:
  CarryOver(const Energy& energy, const Plan& before, const Plan& after,
            const ConstructRegistry& constructs)
      : energy_(energy), before_(before), after_(after), constructs_(constructs) {}

  std::vector<Directive> run(const std::vector<Directive>& directives,
                             std::vector<EditedSchedule::Dropped>& dropped) const {
    std::vector<Directive> result;
    std::map<std::string, std::vector<const Directive*>> of_part;
    for (const Directive& directive : directives) {
      if (const auto member = member_of(directive.site))
        of_part[member->part].push_back(&directive);
      else
        result.push_back(directive);
    }
    std::set<const Directive*> kept;
    std::map<const Directive*, std::string> why;
    for (const Part& part : after_.parts) {
      const std::vector<const Part*> origins = origins_of(part);
      for (const Part* origin : origins) {
        for (const Directive* directive : of_part[origin->name]) {
          const Directive carried = in_part(*directive, part);
          const auto other = std::ranges::find_if(origins, [&](const Part* its) {
            return std::ranges::none_of(of_part[its->name], [&](const Directive* said) {
              return in_part(*said, part) == carried;
            });
          });
          if (other != origins.end()) {
            why[directive] = fmt::format("r.{} and r.{} differ in this, and are merged",
                                         origin->name, (*other)->name);
            continue;
          }
          kept.insert(directive);
          if (origin == origins.front()) result.push_back(carried);
        }
      }
    }
    for (const auto& [part, its] : of_part) {
      for (const Directive* directive : its) {
        if (kept.contains(directive)) continue;
        const auto known = why.find(directive);
        dropped.push_back(
            {*directive,
             Diagnostic{known != why.end() ? known->second
                                           : fmt::format("the residuals of r.{} have joined parts "
                                                         "that keep their own decisions",
                                                         part),
                        {},
                        {}}});
      }
    }
    return result;
  }

 private:
  std::vector<const Part*> origins_of(const Part& part) const {
    std::vector<const Part*> whole, all;
    for (const Part& old : before_.parts) {
      const auto is_here = [&](ResidualRef residual) {
        return std::ranges::find(part.residuals, residual) != part.residuals.end();
      };
      if (std::ranges::all_of(old.residuals, is_here)) whole.push_back(&old);
      if (std::ranges::any_of(old.residuals, is_here)) all.push_back(&old);
    }
    return whole.empty() ? all : whole;
  }

  // Orders name the domains of a part, which its first group declares: they are the
  // same by position.
  Directive in_part(const Directive& directive, const Part& part) const {
    Directive carried = directive;
    carried.site = site_in(directive.site, part.name);
    const Construct* construct = constructs_.find(directive.construct);
    if (directive.site == carried.site || construct == nullptr) return carried;
    const auto from = ordering_at(*construct, before_, directive.site);
    const auto to = ordering_at(*construct, after_, carried.site);
    if (!from || !to || from->items.size() != to->items.size()) return carried;
    auto order = from->order(directive.choice);
    if (!order) return carried;
    for (std::string& item : *order) {
      const auto position = std::ranges::find(from->items, item) - from->items.begin();
      item = to->items[static_cast<std::size_t>(position)];
    }
    carried.choice = Ordering::choice(*order);
    return carried;
  }

  std::optional<Ordering> ordering_at(const Construct& construct, const Plan& plan,
                                      const Site& site) const {
    const std::vector<Site> sites = construct.sites(energy_, plan);
    if (site.kind != SiteKind::Part || std::ranges::find(sites, site) == sites.end()) return {};
    const Editor editor = construct.editor(energy_, plan, site);
    const auto* ordering = std::get_if<Ordering>(&editor);
    return ordering != nullptr ? std::optional(*ordering) : std::nullopt;
  }

  const Energy& energy_;
  const Plan& before_;
  const Plan& after_;
  const ConstructRegistry& constructs_;
};

}  // namespace

std::vector<Directive> carry_over(const Energy& energy, const std::vector<Directive>& directives,
                                  const Plan& before, const Plan& after,
                                  const ConstructRegistry& constructs,
                                  std::vector<EditedSchedule::Dropped>& dropped) {
  return CarryOver(energy, before, after, constructs).run(directives, dropped);
}

}  // namespace thallo
