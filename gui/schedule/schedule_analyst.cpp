#include "gui/schedule/schedule_analyst.h"

#include <algorithm>
#include <utility>

#include "core/backend/choose_device_spec.h"
#include "core/energy/print.h"
#include "core/explore/search/named_proposals.h"
#include "core/explore/space/groups.h"
#include "core/explore/space/weighed_choices.h"
#include "core/frontend/schedule_text.h"
#include "core/kernel/bind/program_bytes.h"
#include "core/kernel/frequency.h"
#include "core/schedule/schedule_reader.h"
#include "core/schedule/shown_names.h"
#include "gui/base/text.h"
#include "gui/kernels/step_facts.h"
#include "gui/problem/energy_source.h"

namespace thallo::gui {
namespace {

Expected<ExplorationTarget> targetOf(Session& session, const ProblemRequest& request,
                                     const QString& deviceSpec, const DeviceSpec& device) {
  ExplorationTarget target{.problem = request.problem.toStdString(),
                           .backend = device.backend,
                           .device_spec = deviceSpec.toStdString(),
                           .plugin_path = session.plugin_path()};
  if (!request.model.isEmpty()) target.model = request.model.toStdString();
  if (device.backend == "interpreter") target.precision = Precision::Double;
  const auto problem = session.problems().lookup(target.problem);
  if (!problem) return fail(problem.error());
  const std::vector<OptionSpec> specs = (*problem)->options();
  for (const auto& [name, text] : request.options) {
    const auto spec = std::ranges::find(specs, name.toStdString(), &OptionSpec::name);
    if (spec == specs.end()) {
      Diagnostic unknown{
          fmt::format("problem '{}' has no option '{}'", target.problem, name.toStdString()),
          {},
          {}};
      for (const OptionSpec& legal : specs) unknown.alternatives.push_back(legal.name);
      return fail(std::move(unknown));
    }
    auto value = parse_option(*spec, text.toStdString());
    if (!value) return fail(value.error());
    target.options.set(spec->name, *std::move(value));
  }
  return target;
}

std::int64_t memoryLimit(const ExploredProblem& problem, const DeviceSpec& device) {
  const auto limit = static_cast<double>(problem.compile.memory_limit);
  return static_cast<std::int64_t>(device.memory > 0 ? std::min(limit, device.memory) : limit);
}

std::vector<EnergySymbol> symbolsOf(const Energy& energy) {
  std::vector<EnergySymbol> symbols;
  for (const Dim& dim : energy.dims()) symbols.push_back({toQt(dim.name), "dim"});
  for (const Field& field : energy.fields())
    symbols.push_back({toQt(field.name), toQt(to_string(field.kind))});
  for (const SparseMap& map : energy.maps()) symbols.push_back({toQt(map.name), "map"});
  for (const ResidualGroup& group : energy.groups())
    symbols.push_back({toQt(group.name), "residual"});
  return symbols;
}

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

}  // namespace

Expected<std::shared_ptr<ScheduleAnalyst>> ScheduleAnalyst::open(std::shared_ptr<Session> session,
                                                                 const ProblemRequest& request,
                                                                 const QString& deviceSpec) {
  auto device = named_device_spec(deviceSpec.toStdString(), "auto");
  if (!device) return fail(device.error());
  auto target = targetOf(*session, request, deviceSpec, *device);
  if (!target) return fail(target.error());
  auto problem = ExploredProblem::open(*session, *target);
  if (!problem) return fail(problem.error());
  return std::shared_ptr<ScheduleAnalyst>(new ScheduleAnalyst(
      std::move(session), *std::move(target), *std::move(problem), *std::move(device)));
}

ScheduleAnalyst::ScheduleAnalyst(std::shared_ptr<Session> session, ExplorationTarget target,
                                 ExploredProblem problem, DeviceSpec device)
    : m_session(std::move(session)),
      m_target(std::move(target)),
      m_problem(std::move(problem)),
      m_pricer(m_problem.file.energy, m_problem.instance.binding,
               m_problem.price_options(*m_problem.model), std::move(device)),
      m_limit(m_problem.file.energy, m_problem.instance.binding, m_problem.program,
              m_problem.program.precision, memoryLimit(m_problem, m_pricer.device())) {}

ProblemSnapshot ScheduleAnalyst::snapshot() {
  const Energy& energy = m_problem.file.energy.as_written();
  const Binding& binding = m_problem.instance.binding;
  const ProblemInfo info = m_problem.problem->info();
  ProblemSnapshot snapshot{.request = {},
                           .title = toQt(info.title),
                           .instance = toQt(m_problem.instance.title),
                           .signature = toQt(m_problem.signature),
                           .labels = {},
                           .unknowns = binding.num_unknowns(energy),
                           .residuals = binding.num_residuals(energy),
                           .energyText = toQt(to_string(energy)),
                           .source = readEnergySource(*m_session, toQt(m_target.problem), &energy),
                           .symbols = symbolsOf(energy),
                           .deviceName = toQt(m_pricer.device().name),
                           .backend = toQt(m_pricer.device().backend),
                           .precision = toQt(to_string(m_problem.program.precision)),
                           .linearIterations = m_problem.iteration_counts().linear_iterations,
                           .schedules = {},
                           .constructs = {}};
  for (const auto& [name, text] : m_problem.instance.labels)
    snapshot.labels.emplace_back(toQt(name), toQt(text));
  for (const NamedProposal& named : named_proposals(m_problem, m_pricer.device())) {
    NamedSchedule schedule{
        toQt(named.name), toQt(named.proposal.text), toQt(named.proposal.hash), {}};
    if (const auto plan = m_problem.plan_of(named.proposal.schedule))
      schedule.seconds = estimate(*plan).nonlinear;
    snapshot.schedules.push_back(std::move(schedule));
  }
  for (const Construct* construct : in_stage_order(*m_problem.constructs)) {
    snapshot.constructs.push_back(
        {toQt(construct->name()), toQt(construct->doc()), toQt(to_string(construct->stage()))});
  }
  return snapshot;
}

Expected<ScheduleSnapshot> ScheduleAnalyst::snapshotOf(Schedule schedule) {
  const auto plan = m_problem.plan_of(schedule);
  if (!plan) return fail(plan.error());
  ScheduleSnapshot snapshot{.schedule = {},
                            .text = toQt(schedule.text(*m_problem.constructs)),
                            .hash = toQt(schedule.hash(*m_problem.constructs).hex()),
                            .time = estimate(*plan),
                            .dropped = {}};
  snapshot.schedule = std::move(schedule);
  return snapshot;
}

Expected<ScheduleSnapshot> ScheduleAnalyst::read(const QString& text, const QString& file) {
  const auto statements = load_schedule_text(text.toStdString(), file.toStdString());
  if (!statements) return fail(statements.error());
  auto schedule = read_schedule(m_problem.file.energy, *statements, *m_problem.constructs);
  if (!schedule) return fail(schedule.error());
  return snapshotOf(*std::move(schedule));
}

Expected<EditedSchedule> ScheduleAnalyst::decide(const Schedule& schedule,
                                                 const std::vector<Directive>& directives) {
  return thallo::edit(m_problem.file.energy, schedule, directives, *m_problem.constructs);
}

Expected<ScheduleSnapshot> ScheduleAnalyst::edit(const Schedule& schedule,
                                                 const std::vector<ScheduleEdit>& edits) {
  Schedule current = schedule;
  std::vector<DroppedDirective> dropped;
  for (const ScheduleEdit& edit : edits) {
    const auto decided = directives(current, edit);
    if (!decided) return fail(decided.error());
    auto edited = decide(current, *decided);
    if (!edited) return fail(edited.error());
    for (const EditedSchedule::Dropped& its : edited->dropped) {
      const Construct* construct = m_problem.constructs->find(its.directive.construct);
      dropped.push_back({toQt(construct->print(its.directive)), toQt(its.why)});
    }
    current = std::move(edited->schedule);
  }
  auto snapshot = snapshotOf(std::move(current));
  if (snapshot) snapshot->dropped = std::move(dropped);
  return snapshot;
}

Trial ScheduleAnalyst::tryOut(const Schedule& schedule, const std::vector<ScheduleEdit>& edits) {
  auto made = edit(schedule, edits);
  if (!made) return {.edits = edits, .illegal = toQt(made.error())};
  return {.edits = edits, .snapshot = std::make_shared<const ScheduleSnapshot>(*std::move(made))};
}

Expected<std::vector<ChoiceSite>> ScheduleAnalyst::choiceSites(const Schedule& schedule,
                                                               const StorageLimit* limit) {
  return list_choices(m_problem.file.energy, schedule, *m_problem.constructs,
                      m_problem.program.precision, limit);
}

Expected<std::vector<Directive>> ScheduleAnalyst::directives(const Schedule& schedule,
                                                             const ScheduleEdit& edit) {
  // A choice may be made even if it does not fit into memory; checking that would take long.
  if (!edit.directives.empty()) return edit.directives;
  const auto sites = choiceSites(schedule, nullptr);
  if (!sites) return fail(sites.error());
  const std::string name = edit.construct.toStdString();
  if (!edit.groups.empty()) {
    const Construct* construct = m_problem.constructs->find(name);
    if (construct == nullptr) return fail("there is no construct '{}'", name);
    Groups wanted;
    for (const QStringList& group : edit.groups) {
      auto& items = wanted.emplace_back();
      for (const QString& item : group) items.push_back(item.toStdString());
    }
    return regroup(m_problem.file.energy, *construct, *sites, wanted);
  }
  for (const ChoiceSite& at : *sites) {
    if (toQt(at.construct->name()) != edit.construct || toQt(at.site.name) != edit.site) continue;
    // A site with too many choices does not list all of them.
    const auto found = at.construct->find(m_problem.file.energy, *at.plan, at.site,
                                          {edit.label.toStdString(), {}});
    if (!found)
      return fail("{} of {} has no choice '{}'", name, at.site.name, edit.label.toStdString());
    return directives_for(m_problem.file.energy, *sites, at, found->choice);
  }
  return fail("{} decides nothing at {}", name, edit.site.toStdString());
}

Expected<SiteTable> ScheduleAnalyst::sites(const Schedule& schedule, const std::stop_token& stop) {
  const InterruptibleLimit limit(m_limit, stop);
  const auto sites = choiceSites(schedule, &limit);
  if (!sites) return fail(sites.error());
  const auto plan = m_problem.plan_of(schedule);
  if (!plan) return fail(plan.error());
  const ShownNames shown(m_problem.file.energy, *plan);
  SiteTable table{toQt(schedule.hash(*m_problem.constructs).hex()), {}, {}};
  for (const ChoiceSite& at : *sites) {
    SiteRow row{.construct = toQt(at.construct->name()),
                .stage = at.construct->stage(),
                .site = at.site,
                .name = toQt(at.site.name),
                .shown = toQt(shown.of(at.site.name)),
                .editor = at.editor,
                .choices = {},
                .chosen = at.chosen};
    for (const Alternative& alternative : at.alternatives) {
      row.choices.push_back(
          {.label = toQt(alternative.choice.label),
           .args = alternative.choice.args,
           .directive = toQt(at.text(alternative)),
           .illegal = alternative.legal ? QString() : toQt(alternative.legal.error()),
           .isRepeated = alternative.is_repeated,
           .hash = {},
           .seconds = {},
           .bytes = {}});
    }
    if (std::holds_alternative<Placement>(row.editor) && table.groupsOf(row.construct) == nullptr)
      table.groups.push_back({row.construct, itemGroups(groups_of(*at.construct, *sites))});
    table.sites.push_back(std::move(row));
  }
  return table;
}

TimeEstimate ScheduleAnalyst::estimate(const Plan& plan) {
  const auto [work, prediction] = m_pricer.price(plan);
  const IterationCounts counts = m_pricer.options().counts;
  TimeEstimate time{.segments = {},
                    .nonlinear = prediction.nonlinear_iteration,
                    .linear = prediction.linear_iteration,
                    .linearIterations = counts.linear_iterations,
                    .bytes = prediction.bytes,
                    .beside = {.launches = prediction.beside.launches,
                               .loopTurns = prediction.beside.loop_turns,
                               .host = prediction.beside.host},
                    .measured = {}};
  std::vector<TimeSegment> linear;
  const ShownNames shown(m_problem.file.energy, plan);
  for (std::size_t i = 0; i < work.steps.size(); ++i) {
    const Frequency frequency = frequency_of(work.steps[i].phase);
    TimeSegment segment{.label = toQt(work.steps[i].label),
                        .shown = toQt(shown.label(work.steps[i].label)),
                        .predicted = prediction.steps[i]};
    if (frequency == Frequency::NonlinearIteration) {
      time.segments.push_back(std::move(segment));
    } else if (frequency == Frequency::LinearIteration) {
      segment.isLinear = true;
      segment.runs = counts.linear_iterations;
      linear.push_back(std::move(segment));
    }
  }
  time.segments.insert(time.segments.end(), linear.begin(), linear.end());
  return time;
}

Expected<std::vector<StepFacts>> ScheduleAnalyst::steps(const Schedule& schedule) {
  const auto plan = m_problem.plan_of(schedule);
  if (!plan) return fail(plan.error());
  const auto [work, prediction] = m_pricer.price(*plan);
  return stepFacts(m_problem, schedule, work, prediction, scope());
}

PriceScope ScheduleAnalyst::scope() const {
  const PriceOptions& options = m_pricer.options();
  return {.model = *options.model, .device = m_pricer.device(), .counts = options.counts};
}

Expected<TimeChangeCauses> ScheduleAnalyst::causes(const Schedule& from, const Schedule& to) {
  const auto before = m_problem.plan_of(from);
  if (!before) return fail(before.error());
  const auto after = m_problem.plan_of(to);
  if (!after) return fail(after.error());
  return explain_change(m_pricer.price(*before).work, m_pricer.price(*after).work, scope());
}

Expected<std::vector<Decision>> ScheduleAnalyst::decisions(const Schedule& schedule) {
  const auto sites = choiceSites(schedule, nullptr);
  if (!sites) return fail(sites.error());
  const auto plan = m_problem.plan_of(schedule);
  if (!plan) return fail(plan.error());
  const ShownNames shown(m_problem.file.energy, *plan);
  std::vector<Decision> decisions;
  for (const ChoiceSite& at : *sites) {
    decisions.push_back(
        {QObject::tr("%1 of %2").arg(toQt(at.construct->name()), toQt(shown.of(at.site.name))),
         toQt(at.alternatives[at.chosen].choice.label), at.chosen == 0});
  }
  return decisions;
}

Expected<std::vector<BufferBytes>> ScheduleAnalyst::buffers(const Schedule& schedule) {
  const auto plan = m_problem.plan_of(schedule);
  if (!plan) return fail(plan.error());
  const KernelProgram program = make_program(m_problem.file.energy, *plan, m_problem.program);
  const auto sizes = ProgramSizes::make(program, m_problem.instance.binding);
  if (!sizes) return fail(sizes.error());
  std::vector<BufferBytes> buffers;
  for (const StoredBuffer& buffer : program_buffers(program, *sizes, m_problem.program.precision))
    buffers.push_back({toQt(buffer.name), buffer.bytes});
  std::ranges::stable_sort(buffers, std::ranges::greater(), &BufferBytes::bytes);
  return buffers;
}

Expected<UnplacedGraph> ScheduleAnalyst::graph(const Schedule& schedule,
                                               const QStringList& expanded) {
  const auto plan = m_problem.plan_of(schedule);
  if (!plan) return fail(plan.error());
  if (!m_dag) m_dag.emplace(m_problem.file.energy);
  const DagSizes sizes{m_problem.instance.binding, m_problem.program.precision,
                       m_pricer.estimator()};
  DagViewOptions options{.expanded = {}, .sizes = &sizes};
  auto view = m_dag->view(*plan, options);
  if (!view) return fail(view.error());
  // After a split or merge a part has another name, and so it is folded again.
  for (const DagNode& node : view->nodes)
    if (node.can_expand && expanded.contains(toQt(node.id))) options.expanded.push_back(node.id);
  if (!options.expanded.empty()) view = m_dag->view(*plan, options);
  if (!view) return fail(view.error());
  UnplacedGraph result = unplacedGraph(*view, m_pricer.options().counts.linear_iterations);
  result.graph.scheduleHash = toQt(schedule.hash(*m_problem.constructs).hex());
  return result;
}

}  // namespace thallo::gui
