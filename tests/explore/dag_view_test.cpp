// The graph of an energy under plans: which nodes there are, and what every linear iteration
// computes again.
#include "core/explore/dag/energy_dag.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "core/energy/found/intermediates.h"
#include "core/explore/dag/dot.h"
#include "core/problem/driver.h"
#include "tests/problems/loaded_problems.h"
#include "tests/schedule/readings.h"

namespace thallo {
namespace {

using test::loaded_constructs;
using testing::Contains, testing::ElementsAre, testing::HasSubstr, testing::Not;

// A named intermediate that is read at two places, a part that reads it and one that does not.
constexpr const char* SmallText = R"(local W = Dims("W")
Inputs { X = Unknown(float, {W}), D = Array(float, {W}), s = Param(float), t = Param(float) }
local w = W()
bend = exp(s * X(w))
local r = Residuals { fit = t * (X(w) - D(w)), reg = bend:get(w + 1) - bend:get(w) }
)";
// A Sum whose summand reads an unknown.
constexpr const char* SumText = R"(local W, K = Dims("W", "K")
Inputs { X = Unknown(float, {W}), T = Array(float, {K}), A = Array(float, {W}) }
local w, k = W(), K()
blurred = Sum({k}, T(k) * X(w + k))
local r = Residuals { fit = blurred - A(w) }
)";

Energy small_energy(const std::string& text) {
  return std::move(load_energy_text(text, "small.lua").value().energy);
}

Plan plan_for(const Energy& energy, const std::string& schedule) {
  const auto statements = load_schedule_text(schedule, "test.sched");
  return make_plan(energy, read_schedule(energy, statements.value(), loaded_constructs()).value(),
                   loaded_constructs())
      .value();
}

DagView view_of(const std::string& text, const std::string& schedule,
                const DagViewOptions& options = {}) {
  const Energy energy = small_energy(text);
  return EnergyDag(energy).view(plan_for(energy, schedule), options).value();
}

std::vector<std::string> cut_of(const DagView& view) {
  std::vector<std::string> cut;
  for (const DagEdge& edge : view.edges) {
    if (edge.is_cut) cut.push_back(view.nodes[edge.from].id + " => " + view.nodes[edge.to].id);
  }
  return cut;
}

std::set<std::string> ids_of(const DagView& view, const std::string& prefix) {
  std::set<std::string> ids;
  for (const DagNode& node : view.nodes) {
    if (node.id.starts_with(prefix)) ids.insert(node.id);
  }
  return ids;
}

std::size_t place_of(const DagView& view, std::string_view id) {
  return static_cast<std::size_t>(view.find(id) - view.nodes.data());
}

TEST(DagView, HasFieldsIntermediatesPartsAndProducts) {
  EXPECT_EQ(to_string(view_of(SmallText, "")), R"(unknown field:X, value stored
array field:D, value stored
param params, value stored
intermediate intermediate:bend, far
part part:fit, far
part part:reg, far
product product:fit.JtF
product product:fit.JtJp, far
product product:reg.JtF
product product:reg.JtJp, far
product product:JtF, value stored
product product:JtJp, far, value stored
field:X => intermediate:bend at (w)
field:X -> part:fit at (w)
field:D -> part:fit at (w)
params => intermediate:bend
params => part:fit
intermediate:bend -> part:reg at (w + 1), (w)
part:fit -> product:fit.JtF
part:fit -> product:fit.JtJp
part:reg -> product:reg.JtF
part:reg -> product:reg.JtJp
product:fit.JtF -> product:JtF
product:fit.JtJp -> product:JtJp
product:reg.JtF -> product:JtF
product:reg.JtJp -> product:JtJp
)");
}

TEST(DagView, TheCutLiesBehindWhatIsStored) {
  EXPECT_THAT(cut_of(view_of(SmallText, "bend:materialize{value=true, gradient=false}")),
              ElementsAre("field:X => intermediate:bend", "params => intermediate:bend",
                          "params => part:fit"));
  const DagView stored = view_of(SmallText, "bend:materialize{value=false, gradient=true}");
  EXPECT_THAT(cut_of(stored), ElementsAre("params => part:fit", "intermediate:bend => part:reg"));
  EXPECT_FALSE(stored.find("intermediate:bend")->is_far());
  EXPECT_TRUE(stored.find("intermediate:bend")->stores_gradient);
  EXPECT_THAT(cut_of(view_of(SmallText, "r.reg:strategy('[Jt][[J]p]') r.fit:strategy('Jt[Jp]')")),
              ElementsAre("params => part:fit", "product:reg.J => product:reg.Jp",
                          "product:reg.J => product:reg.JtJp"));
  EXPECT_THAT(
      cut_of(view_of(SmallText, "r.reg:strategy('[JtJ]p') r.fit:strategy('[[Jt][J]]p')")),
      ElementsAre("product:fit.JtJ => product:fit.JtJp", "product:reg.JtJ => product:reg.JtJp"));
  // fit does not need D for its derivatives, but for the weight of its loss.
  const std::string text = std::string(SmallText) + "r.fit:loss(cauchy(0.5))\n";
  EXPECT_THAT(cut_of(view_of(text, "r.reg:strategy('[JtJ]p')")), Contains("field:D => part:fit"));
}

TEST(DagView, IdsAreTheSameUnderEveryScheduleAndASumIsANode) {
  const DagView serial = view_of(SumText, "");
  const DagView parallel = view_of(SumText, "blurred:parallelize()");
  EXPECT_EQ(ids_of(serial, ""), ids_of(parallel, ""));
  EXPECT_FALSE(serial.find("sum:blurred")->stores_value);
  EXPECT_TRUE(parallel.find("sum:blurred")->stores_value);
  // Its share of Jp is added up in every linear iteration in both.
  EXPECT_THAT(cut_of(serial), ElementsAre("field:T => sum:blurred"));
  EXPECT_EQ(cut_of(serial), cut_of(parallel));
  const DagViewOptions expanded{.expanded = {"intermediate:bend", "part:reg"}};
  const DagView one = view_of(SmallText, "", expanded);
  const DagView other = view_of(
      SmallText, "bend:materialize{value=true, gradient=true} r.reg:strategy('[JtJ]p')", expanded);
  EXPECT_EQ(ids_of(one, "intermediate:bend/").size(), 2U);  // a product and its exp
  for (const char* prefix : {"field:", "params", "intermediate:", "part:", "residual:"})
    EXPECT_EQ(ids_of(one, prefix), ids_of(other, prefix)) << prefix;
}

TEST(DagView, AnExpandedPartShowsItsResidualsAndExpressions) {
  const DagView view =
      view_of(SmallText, "r:merge(r.fit, r.reg)", {.expanded = {"part:fit_reg", "params"}});
  EXPECT_EQ(ids_of(view, "residual:"),
            (std::set<std::string>{"residual:fit[1]", "residual:reg[1]"}));
  EXPECT_EQ(view.find("params"), nullptr);
  EXPECT_EQ(view.find("field:t")->cluster, "params");
  std::vector<std::string> texts;
  for (const DagNode& node : view.nodes) {
    if (node.kind != DagKind::Expression) continue;
    texts.push_back(node.text);
    EXPECT_EQ(node.cluster, "part:fit_reg");
  }
  EXPECT_EQ(texts.size(), 3U);
  EXPECT_THAT(texts, Contains("X(w) - D(w)"));
  EXPECT_THAT(texts, Contains("bend(w + 1) - bend(w)"));
  // X - D has a derivative, which needs neither X nor D.
  EXPECT_THAT(cut_of(view), Contains(HasSubstr("field:t => part:fit_reg/")));
  EXPECT_THAT(cut_of(view), Not(Contains(HasSubstr("field:D"))));
}

TEST(DagView, RefusesToExpandWhatHasNoExpressionsAndCountsWhatDoesNotFit) {
  const Energy energy = small_energy(SmallText);
  EnergyDag dag(energy);
  const Plan plan = default_plan(energy);
  const DagViewOptions all{.expanded = {"part:fit"}};
  const std::size_t num_all = dag.view(plan, all)->nodes.size();
  const DagView view = dag.view(plan, {.expanded = {"part:fit"}, .max_nodes = num_all - 1}).value();
  ASSERT_NE(view.find("part:fit/rest"), nullptr);
  EXPECT_EQ(view.find("part:fit/rest")->name, "2 more");
  EXPECT_EQ(view.nodes.size(), num_all - 1);
  EXPECT_EQ(view.edges[0].from, place_of(view, "field:X"));
  EXPECT_THAT(to_string(view), HasSubstr("part:fit/rest -> residual:fit[1]"));
  const auto refused = dag.view(plan, {.expanded = {"part:fits"}});
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().what, HasSubstr("'part:fits' is nothing that can be expanded"));
  EXPECT_THAT(refused.error().alternatives,
              ElementsAre("params", "intermediate:bend", "part:fit", "part:reg"));
}

TEST(DagView, SaysFlopsAndBytesForTheSizesOfAnInstance) {
  const Energy energy = small_energy(SmallText);
  Binding binding(energy);
  ASSERT_TRUE(binding.set_extent("W", 100));
  Estimator estimator(energy, binding, {}, {});
  const DagSizes sizes{binding, Precision::Float, estimator};
  const DagView view = EnergyDag(energy)
                           .view(plan_for(energy,
                                          "bend:materialize{value=true, gradient=true} "
                                          "r.reg:strategy('[Jt][[J]p]')"),
                                 {.sizes = &sizes})
                           .value();
  EXPECT_EQ(view.find("field:D")->bytes, 400);
  EXPECT_EQ(view.find("intermediate:bend")->flops, 200);  // a product and an exp
  EXPECT_EQ(view.find("intermediate:bend")->bytes, 800);  // a value and a derivative
  EXPECT_EQ(view.find("part:fit")->flops, 200);
  EXPECT_EQ(view.find("product:reg.J")->bytes, 800);  // by X(w) and X(w + 1)
  EXPECT_EQ(view.find("product:reg.Jp")->bytes, 400);
  EXPECT_EQ(view.find("product:JtJp")->bytes, 400);
  EXPECT_GT(view.find("product:reg.JtJp")->flops, 0);
  EXPECT_EQ(view_of(SmallText, "").find("field:D")->bytes, std::nullopt);
}

TEST(DagView, OfEveryProblemIsSmallAndWithoutCycles) {
  for (const auto* entry : test::loaded_problems().entries()) {
    const auto& [name, provenance, problem] = *entry;
    const auto options = complete_options(problem->options(), {});
    const Energy energy = with_found_intermediates(problem->energy(options.value()).value().energy);
    EnergyDag dag(energy);
    const Plan plan = default_plan(energy);
    const DagView overview = dag.view(plan).value();
    EXPECT_LE(overview.nodes.size(), 300U) << name;
    DagViewOptions all;
    for (const DagNode& node : overview.nodes) {
      if (node.can_expand) all.expanded.push_back(node.id);
    }
    const DagView expanded = dag.view(plan, all).value();
    EXPECT_LE(expanded.nodes.size(), 600U) << name;
    for (const DagView* view : {&overview, &expanded}) {
      for (const DagEdge& edge : view->edges) {
        EXPECT_LT(edge.from, edge.to) << name;
        const bool crosses = !view->nodes[edge.from].is_far() && view->nodes[edge.to].is_far();
        EXPECT_TRUE(crosses || !edge.is_cut) << name;
      }
      for (const DagNode& node : view->nodes) {
        const bool is_read = std::ranges::any_of(
            view->edges, [&](const DagEdge& edge) { return view->nodes[edge.from].id == node.id; });
        EXPECT_EQ(is_read, node.id != "product:JtF" && node.id != "product:JtJp")
            << name << ": " << node.id;
      }
    }
  }
}

TEST(DagDot, CallsNodesByTheirIdsAndPlacesTheNearSideLeft) {
  std::string dot = to_dot(view_of(SmallText, "", {.expanded = {"part:fit"}}));
  EXPECT_THAT(dot, HasSubstr("digraph \"small\" {\n  rankdir=LR;"));
  EXPECT_THAT(dot, HasSubstr("\"intermediate:bend\" [label=\"bend\\nW\", shape=box, "
                             "style=\"solid,dashed\", color=\"#0072B2\""));
  EXPECT_THAT(dot, HasSubstr("subgraph \"cluster part:fit\""));
  EXPECT_THAT(dot, HasSubstr("\"params\" -> \"intermediate:bend\" [edgetooltip=\"\", "
                             "color=\"#000000\", penwidth=2.5];"));
  dot = to_dot(view_of(SmallText, ""));
  // The part is computed again, its JtF is not: the arrow leads back to the left.
  EXPECT_THAT(dot, HasSubstr("\"product:fit.JtF\" -> \"part:fit\" [edgetooltip=\"\", dir=back];"));
  EXPECT_THAT(dot, HasSubstr("\"product:JtF\" -> \"the cut\" [style=invis, weight=0];"));
  EXPECT_THAT(dot, HasSubstr("\"the cut\" -> \"part:fit\" [style=invis, weight=0];"));
  EXPECT_THAT(dot, HasSubstr("\"part:fit\" -> \"product:fit.JtJp\" [edgetooltip=\"\"];"));
  dot = to_dot(view_of(SmallText, ""), [](const DagNode& node) {
    return DagNodeSize{static_cast<double>(node.name.size()), 0.5};
  });
  EXPECT_THAT(dot, HasSubstr("\"part:fit\" [label=\"\", fixedsize=true, width=3, height=0.5];"));
}

TEST(DagView, NodesHaveTheLinesThatDeclareOrComputeThem) {
  const Energy energy = small_energy(SmallText);
  const DagView view =
      EnergyDag(energy).view(plan_for(energy, ""), {.expanded = {"part:fit"}}).value();
  EXPECT_THAT(view.find("field:X")->lines, ElementsAre(2));
  EXPECT_THAT(view.find("intermediate:bend")->lines, ElementsAre(4, 5));
  EXPECT_THAT(view.find("part:fit")->lines, ElementsAre(5));
  EXPECT_THAT(view.find("product:fit.JtJp")->lines, ElementsAre());
  for (const DagNode& node : view.nodes) {
    if (node.kind != DagKind::Expression) continue;
    EXPECT_THAT(node.lines, ElementsAre(5)) << node.id;
  }
}

}  // namespace
}  // namespace thallo
