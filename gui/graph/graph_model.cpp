#include "gui/graph/graph_model.h"

#include <algorithm>
#include <string_view>

#include <QByteArray>

#include "core/base/log.h"
#include "core/explore/dag/dot.h"
#include "core/linear/linear_solver.h"
#include "gui/base/text.h"
#include "gui/graph/graph_fit.h"
#include "gui/graph/graph_layout.h"
#include "gui/problem/open_problem.h"

namespace thallo::gui {
namespace {

// A graph whose nodes have not been placed by `dot` yet.
struct UnplacedGraph {
  GraphSnapshot graph;
  QByteArray dotText;  // the input for `dot`
};

GraphNode nodeOf(const DagNode& node) {
  GraphNode result{.id = toQt(node.id),
                   .kind = node.kind,
                   .name = toQt(node.name),
                   .domains = toQt(node.domains),
                   .text = toQt(node.text),
                   .lines = node.lines,
                   .flops = node.flops,
                   .bytes = node.bytes,
                   .siteName = node.site ? toQt(node.site->name) : QString(),
                   .storesValue = node.stores_value,
                   .storesGradient = node.stores_gradient,
                   .isFar = node.is_far(),
                   .frequency = toQt(to_string(node.frequency)),
                   .canExpand = node.can_expand,
                   .isExpanded = node.is_expanded,
                   .cluster = toQt(node.cluster)};
  if (result.isStored() && node.bytes)
    result.figure = bytesText(*node.bytes);
  else if (node.flops && node.kind != DagKind::Expression)
    result.figure = quantityText(*node.flops, "flop");
  return result;
}

// A direct solver makes no linear iterations: once a nonlinear iteration, it computes the matrix
// whose product with p each of them would compute.
void computeOnce(DagView& view) {
  constexpr std::string_view Matrix = "JtJ", ItsProduct = "JtJp";
  for (DagNode& node : view.nodes) {
    if (!node.is_far()) continue;
    node.frequency = Frequency::NonlinearIteration;
    const bool isProduct = node.kind == DagKind::Product && node.name.ends_with(ItsProduct);
    if (isProduct) node.name.resize(node.name.size() - ItsProduct.size() + Matrix.size());
  }
  for (DagEdge& edge : view.edges) edge.is_cut = false;
}

// Makes the graph of a view; the hash of its schedule is not set. `linearIterations` is how many a
// nonlinear iteration has.
UnplacedGraph unplacedGraph(const DagView& view, double linearIterations) {
  UnplacedGraph result;
  for (const DagNode& node : view.nodes) result.graph.nodes.push_back(nodeOf(node));
  for (const DagEdge& edge : view.edges) {
    const DagNode &from = view.nodes[edge.from], &to = view.nodes[edge.to];
    const bool isStored = from.stores_value || from.stores_gradient;
    // What crosses the cut is read in every linear iteration, and so is what they store themselves.
    const bool isOften = edge.is_cut || (from.is_far() && to.is_far());
    const double reads = isOften ? std::max(1.0, linearIterations) : 1;
    result.graph.edges.push_back({.from = edge.from,
                                  .to = edge.to,
                                  .isCut = edge.is_cut,
                                  .label = toQt(edge.label),
                                  .bytes = isStored ? reads * from.bytes.value_or(0) : 0,
                                  .numReads = reads});
  }
  // dot has 72 points per inch, and a point is a pixel here.
  result.dotText = QByteArray::fromStdString(to_dot(view, [](const DagNode& node) {
    const QSizeF size = nodeSize(nodeOf(node));
    return DagNodeSize{size.width() / 72, size.height() / 72};
  }));
  return result;
}

// Returns the graph under the schedule, with the nodes of these ids expanded.
Expected<UnplacedGraph> graphOf(OpenProblem& problem, const Schedule& schedule,
                                const QStringList& expanded) {
  THALLO_TRY(const auto plan, problem.plan(schedule));
  const DagSizes sizes{problem.explored().instance.binding, problem.precision(),
                       problem.pricer().estimator()};
  DagViewOptions options{.sizes = &sizes};
  auto view = problem.dag().view(plan, options);
  if (!view) return fail(view.error());
  // After a split or merge a part has another name, and so it is folded again.
  for (const DagNode& node : view->nodes)
    if (node.can_expand && expanded.contains(toQt(node.id))) options.expanded.push_back(node.id);
  if (!options.expanded.empty()) view = problem.dag().view(plan, options);
  if (!view) return fail(view.error());
  if (problem.explored().program.linear_solver->is_direct()) computeOnce(*view);
  UnplacedGraph result = unplacedGraph(*view, problem.pricer().options().counts.linear_iterations);
  result.graph.scheduleHash = problem.hashOf(schedule);
  return result;
}

GraphPreview makePreview(const GraphSnapshot& now, const GraphSnapshot& then, const Trial& trial) {
  GraphPreview preview{.trial = trial};
  for (const GraphNode& node : now.nodes) {
    if (!node.siteName.isEmpty()) preview.names[node.siteName] = node.name;
    const auto other = std::ranges::find(then.nodes, node.id, &GraphNode::id);
    if (other == then.nodes.end()) {
      preview.changes[node.id] = {.isGone = true};
      continue;
    }
    const GraphPreview::Change change{
        .isFar = other->isFar,
        .isStored = other->isStored(),
        .movesSide = other->isFar != node.isFar,
        .changesStored =
            other->storesValue != node.storesValue || other->storesGradient != node.storesGradient};
    if (change.movesSide || change.changesStored) preview.changes[node.id] = change;
  }
  for (const GraphEdge& edge : then.edges)
    if (edge.isCut) preview.cut.emplace(then.nodes[edge.from].id, then.nodes[edge.to].id);
  return preview;
}

}  // namespace

QString GraphPreview::words() const {
  QStringList edits;
  for (const ScheduleEdit& edit : trial.edits) {
    const auto name = names.find(edit.site);
    edits << (edit.site.isEmpty()
                  ? QObject::tr("%1 changed").arg(edit.construct)
                  : QObject::tr("%1: %2").arg(name == names.end() ? edit.site : name->second,
                                              edit.label));
  }
  const QString words = edits.join(QStringLiteral(", "));
  const QString cost = costWords(trial.change, trial.bytes()).sentence();
  return cost.isEmpty() ? words : words + QStringLiteral(" · ") + cost;
}

GraphModel::GraphModel(JobRunner& analysisRunner, ProblemModel& problems, ScheduleModel& schedule)
    : m_runner(analysisRunner), m_problems(problems), m_schedule(schedule) {
  connect(&problems, &ProblemModel::problemChanged, this, &GraphModel::onProblemChanged);
  connect(&schedule, &ScheduleModel::scheduleChanged, this, [this] {
    const auto& now = m_schedule.schedule();
    if (now.isReady() && now.value->hash != m_asked) refresh();
  });
  connect(&schedule, &ScheduleModel::trialChanged, this, &GraphModel::onTrial);
}

void GraphModel::onProblemChanged() {
  m_runner.cancel("graph");
  m_dot.cancel();
  m_expanded.clear();
  m_asked.clear();
  m_graph = {};
  m_laidOut.reset();
  Q_EMIT expandedChanged();
  Q_EMIT graphChanged();
}

void GraphModel::setExpanded(const QStringList& ids) {
  if (ids == m_expanded) return;
  m_expanded = ids;
  Q_EMIT expandedChanged();
  refresh();
}

void GraphModel::toggleExpanded(const QString& id) {
  QStringList ids = m_expanded;
  if (ids.removeAll(id) == 0) ids.append(id);
  setExpanded(ids);
}

void GraphModel::refresh() {
  if (!m_problems.opened() || !m_schedule.schedule().value) return;
  m_asked = m_schedule.schedule().value->hash;
  m_graph = m_graph.busy();
  Q_EMIT graphChanged();
  m_runner.start(
      "graph",
      [problem = m_problems.opened(), now = m_schedule.schedule().value, expanded = m_expanded](
          const std::stop_token&) { return graphOf(*problem, now->schedule, expanded); },
      [this](Expected<UnplacedGraph> made) {
        if (made)
          return layOut(std::make_shared<GraphSnapshot>(std::move(made->graph)), made->dotText);
        m_graph = m_graph.failed(toQt(made.error()));
        Q_EMIT graphChanged();
      });
}

// Makes the graph of what is tried out.
void GraphModel::onTrial() {
  m_runner.cancel("preview");
  const Remote<Trial>& trial = m_schedule.trial();
  if (!trial.isReady() || !trial.value->snapshot) return setPreview(nullptr);
  m_runner.start(
      "preview",
      [problem = m_problems.opened(), expanded = m_expanded,
       made = trial.value->snapshot](const std::stop_token&) -> Expected<GraphSnapshot> {
        THALLO_TRY(auto graph, graphOf(*problem, made->schedule, expanded));
        return std::move(graph.graph);
      },
      [this](const Expected<GraphSnapshot>& then) {
        const auto& tried = m_schedule.trial();
        if (!then) logger("gui").warn("{}", then.error().message());
        if (!then || !tried.isReady() || !m_graph.value) return setPreview(nullptr);
        setPreview(
            std::make_shared<GraphPreview>(makePreview(*m_graph.value, *then, *tried.value)));
      });
}

void GraphModel::setPreview(std::shared_ptr<const GraphPreview> preview) {
  if (preview == m_preview) return;
  m_preview = std::move(preview);
  Q_EMIT previewChanged();
}

void GraphModel::layOut(std::shared_ptr<GraphSnapshot> graph, const QByteArray& dotText) {
  m_dot.layOut(dotText, [this, graph](const Expected<QByteArray>& json) {
    Expected<void> placed = json ? applyDotLayout(*json, *graph) : fail(json.error());
    if (!placed) {
      logger("gui").warn("{}", placed.error().message());
      graph->notice = tr("A simple layout: %1").arg(toQt(placed.error()));
      applyRankLayout(*graph);
    }
    m_laidOut = std::move(graph);
    fit();
  });
}

void GraphModel::setPage(const QSizeF& page) {
  if (page == m_page) return;
  m_page = page;
  if (m_laidOut && m_graph.isReady()) fit();
}

void GraphModel::fit() {
  auto fitted = std::make_shared<GraphSnapshot>(*m_laidOut);
  fitToPage(*fitted, m_page);
  m_graph = {RemoteState::Ready, std::move(fitted), {}};
  Q_EMIT graphChanged();
}

void GraphModel::show(std::shared_ptr<const GraphSnapshot> graph) {
  m_laidOut.reset();
  m_graph = {RemoteState::Ready, std::move(graph), {}};
  Q_EMIT graphChanged();
}

std::vector<const SiteRow*> GraphModel::sitesOf(const GraphNode& node) const {
  std::vector<const SiteRow*> sites;
  const auto& table = m_schedule.sites().value;
  if (!table || node.siteName.isEmpty()) return sites;
  for (const SiteRow& site : table->sites)
    if (site.name == node.siteName) sites.push_back(&site);
  return sites;
}

std::optional<Gain> GraphModel::gainOf(const GraphNode& node) const {
  std::optional<Gain> best;
  for (const SiteRow* site : sitesOf(node)) best = std::max(best, gainAt(*site));
  return best;
}

bool GraphModel::areSitesCurrent() const {
  const auto& table = m_schedule.sites().value;
  const auto& schedule = m_schedule.schedule().value;
  return table && schedule && table->hash == schedule->hash && !m_schedule.isChanging();
}

void GraphModel::storeNext(const GraphNode& node) {
  if (!areSitesCurrent()) return;
  const std::vector<const SiteRow*> sites = sitesOf(node);
  if (!node.canStore() || sites.empty()) return;
  const SiteRow& site = *sites.front();
  const ChoiceRow* refused = nullptr;
  for (std::size_t k = 1; k < site.choices.size(); ++k) {
    const ChoiceRow& next = site.choices[(site.chosen + k) % site.choices.size()];
    if (next.illegal.isEmpty() && !next.isRepeated)
      return m_schedule.choose(site.construct, site.name, next.label);
    if (refused == nullptr && !next.illegal.isEmpty()) refused = &next;
  }
  if (refused != nullptr) m_schedule.refuse(refused->directive + ": " + refused->illegal);
}

std::vector<GraphSlab> GraphModel::slabsOf(const GraphNode& node) const {
  return gui::slabsOf(node, sitesOf(node));
}

void GraphModel::toggle(const GraphNode& node, std::size_t slab) {
  const std::vector<GraphSlab> slabs = slabsOf(node);
  if (slab >= slabs.size() || !slabs[slab].isKnown()) return;
  const ScheduleEdit& edit = slabs[slab].toggle;
  if (slabs[slab].illegal.isEmpty()) return m_schedule.change({edit});
  m_schedule.refuse(tr("%1 of %2: %3").arg(slabs[slab].name, node.name, slabs[slab].illegal));
}

void GraphModel::tryToggle(const GraphNode& node, std::size_t slab) {
  const std::vector<GraphSlab> slabs = slabsOf(node);
  if (slab >= slabs.size() || !slabs[slab].isKnown() || !slabs[slab].illegal.isEmpty()) return;
  m_schedule.tryOut({slabs[slab].toggle});
}

}  // namespace thallo::gui
