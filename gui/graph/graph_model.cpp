#include "gui/graph/graph_model.h"

#include <algorithm>
#include <utility>

#include "core/base/log.h"
#include "gui/base/text.h"
#include "gui/graph/graph_fit.h"
#include "gui/graph/graph_layout.h"
#include "gui/graph/unplaced_graph.h"

namespace thallo::gui {

GraphModel::GraphModel(JobRunner& analysisRunner, ProblemModel& problems, ScheduleModel& schedule,
                       QObject* parent)
    : QObject(parent), m_runner(analysisRunner), m_problems(problems), m_schedule(schedule) {
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
  struct Made {
    std::shared_ptr<GraphSnapshot> graph;
    QByteArray dotText;
  };
  m_runner.start(
      "graph",
      [problem = m_problems.opened(), now = m_schedule.schedule().value,
       expanded = m_expanded](const std::stop_token&) -> Expected<Made> {
        auto graph = graphOf(*problem, now->schedule, expanded);
        if (!graph) return fail(graph.error());
        return Made{std::make_shared<GraphSnapshot>(std::move(graph->graph)), graph->dotText};
      },
      [this](Expected<Made> made) {
        if (made) return layOut(std::move(made->graph), made->dotText);
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
        auto graph = graphOf(*problem, made->schedule, expanded);
        if (!graph) return fail(graph.error());
        return std::move(graph->graph);
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
