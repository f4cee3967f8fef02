#include "gui/schedule/site_lists.h"

#include <algorithm>

#include <QObject>

#include "core/explore/space/groups.h"
#include "core/explore/space/guide.h"
#include "core/explore/space/weighed_choices.h"
#include "core/schedule/plan_names.h"
#include "core/schedule/shown_names.h"
#include "gui/base/text.h"
#include "gui/schedule/schedule_edits.h"

namespace thallo::gui {
namespace {

// A storage limit that refuses everything once a stop is requested, so that a stale analysis ends
// soon.
class InterruptibleLimit final : public StorageLimit {
 public:
  InterruptibleLimit(const StorageLimit& limit, const std::stop_token& stop)
      : m_limit(limit), m_stop(stop) {}

  Expected<void> check(const Plan& plan, std::size_t numDecided) const override {
    if (m_stop.stop_requested()) return fail("it was not found out whether it fits in memory");
    return m_limit.check(plan, numDecided);
  }

 private:
  const StorageLimit& m_limit;
  const std::stop_token& m_stop;
};

ItemGroups itemGroups(const Groups& groups) {
  ItemGroups result;
  for (const auto& group : groups) {
    auto& items = result.emplace_back();
    for (const std::string& item : group) items.append(toQt(item));
  }
  return result;
}

// The items of a group as people read them: the part that they are, or "fit and 3 more".
QString itemsText(const std::vector<std::string>& items, const Energy& energy, const Plan& plan,
                  const ShownNames& shown) {
  const auto isPart = [&](const Part& part) {
    return std::ranges::equal(part.residuals, items, {}, [&energy](const ResidualRef& residual) {
      return residual_name(energy, residual);
    });
  };
  const auto part = std::ranges::find_if(plan.parts, isPart);
  if (part != plan.parts.end()) return toQt(shown.of(part->name));
  if (items.size() == 1) return toQt(items[0]);
  return QObject::tr("%1 and %2 more").arg(toQt(items[0])).arg(items.size() - 1);
}

// Returns the moves that are no single choice.
Expected<std::vector<OtherMove>> otherMoves(OpenProblem& problem, const Schedule& schedule,
                                            const WeighedChoices& weighed,
                                            const std::stop_token& stop) {
  std::vector<OtherMove> moves;
  const Energy& energy = problem.energy();
  THALLO_TRY(const auto plan, problem.plan(schedule));
  const ShownNames shown(energy, plan);
  const auto text = [&](const std::vector<std::string>& items) {
    return itemsText(items, energy, plan, shown);
  };
  for (const WeighedMerge& merge : weighed.merges) {
    if (!merge.its.cost) continue;
    moves.push_back(
        {.directives = merge.its.directives,
         .text = QObject::tr("merge %1 with %2").arg(text(merge.into), text(merge.other)),
         .tip = toQt(text_of(merge.its.directives, problem.constructs())),
         .hash = toQt(merge.its.hash),
         .seconds = merge.its.cost->seconds,
         .linear = merge.its.cost->linear,
         .changesNumerics = merge.its.changes_numerics});
  }
  const auto isWorth = [&](const WeighedAlternative* its) {
    return !its->changes_numerics &&
           its->cost->seconds < (1 - GuideOptions().least_gain) * weighed.chosen.seconds;
  };
  if (std::ranges::any_of(next_moves(weighed), isWorth)) return moves;
  // Two decisions may help where none does alone.
  THALLO_TRY(
      const auto pair,
      next_steps(problem.energy(), schedule, problem.constructs(), price_by(problem.pricer()),
                 {.precision = problem.precision(), .limit = &problem.limit()}, stop));
  if (pair.size() != 2) return moves;
  const GuidedStep &first = pair.front(), &last = pair.back();
  OtherMove both{
      .directives = first.directives,
      .text = QObject::tr("%1, then %2").arg(toQt(first.text), toQt(last.text)),
      .tip = QObject::tr("Only together they help: %1 %2").arg(toQt(first.text), toQt(last.text)),
      .hash = problem.hashOf(last.schedule),
      .seconds = last.cost.seconds,
      .linear = last.cost.linear};
  both.then = last.directives;
  moves.push_back(std::move(both));
  return moves;
}

}  // namespace

Expected<SiteTable> listSites(const OpenProblem& problem, const Schedule& schedule,
                              const std::stop_token& stop) {
  const InterruptibleLimit limit(problem.limit(), stop);
  THALLO_TRY(const auto sites, choiceSites(problem, schedule, &limit));
  THALLO_TRY(const auto plan, problem.plan(schedule));
  const ShownNames shown(problem.energy(), plan);
  SiteTable table{problem.hashOf(schedule), {}, {}};
  for (const ChoiceSite& at : sites) {
    SiteRow row{.construct = toQt(at.construct->name()),
                .stage = at.construct->stage(),
                .site = at.site,
                .name = toQt(at.site.name),
                .shown = toQt(shown.of(at.site.name)),
                .editor = at.editor,
                .chosen = at.chosen};
    for (const Alternative& alternative : at.alternatives) {
      row.choices.push_back(
          {.label = toQt(alternative.choice.label),
           .args = alternative.choice.args,
           .directive = toQt(at.text(alternative)),
           .illegal = alternative.legal ? QString() : toQt(alternative.legal.error()),
           .isRepeated = alternative.is_repeated});
    }
    if (std::holds_alternative<Placement>(row.editor) && table.groupsOf(row.construct) == nullptr)
      table.groups.push_back({row.construct, itemGroups(groups_of(*at.construct, sites))});
    table.sites.push_back(std::move(row));
  }
  return table;
}

Expected<SiteTable> weighSites(OpenProblem& problem, const Schedule& schedule, SiteTable table,
                               const std::stop_token& stop) {
  THALLO_TRY(const auto sites, choiceSites(problem, schedule));
  const auto weighed = weigh_choices(problem.energy(), schedule, sites, problem.constructs(),
                                     price_by(problem.pricer()),
                                     weighing_limits(problem.energy(), sites.size()), stop);
  // Nobody will look at the table.
  if (stop.stop_requested()) return table;
  if (!weighed) return fail(weighed.error());
  table.leftOut = weighed->left_out;
  table.seconds = weighed->chosen.seconds;
  table.linear = weighed->chosen.linear;
  auto moves = otherMoves(problem, schedule, *weighed, stop);
  if (!moves) return stop.stop_requested() ? Expected<SiteTable>(table) : fail(moves.error());
  table.moves = *std::move(moves);
  for (std::size_t i = 0; i < sites.size(); ++i) {
    for (std::size_t k = 0; k < weighed->sites[i].size(); ++k) {
      const WeighedAlternative& its = weighed->sites[i][k];
      ChoiceRow& row = table.sites[i].choices[k];
      if (!row.illegal.isEmpty()) continue;
      if (its.why_not) row.illegal = toQt(*its.why_not);
      if (!its.cost) continue;
      row.hash = toQt(its.hash);
      row.seconds = its.cost->seconds;
      row.linear = its.cost->linear;
      row.bytes = its.cost->bytes;
      row.changesNumerics = its.changes_numerics;
    }
  }
  return table;
}

}  // namespace thallo::gui
