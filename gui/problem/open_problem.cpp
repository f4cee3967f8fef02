#include "gui/problem/open_problem.h"

#include <algorithm>
#include <utility>

#include <QFile>
#include <QRegularExpression>

#include "core/backend/choose_device_spec.h"
#include "core/base/assets.h"
#include "core/base/io/file.h"
#include "core/cost/device/spec_file.h"
#include "core/energy/print.h"
#include "core/explore/search/named_proposals.h"
#include "core/problem/energy_problem.h"
#include "gui/base/file_text.h"
#include "gui/base/text.h"
#include "gui/problem/catalog.h"

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
  THALLO_TRY(const auto problem, session.problems().lookup(target.problem));
  THALLO_TRY(target.options,
             readOptions(problem->options(), request.options,
                         fmt::format("problem '{}' has no option", target.problem)));
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

EnergyWords wordsOf(const FrontEndRegistry& frontEnds, const QString& file, const QString& text) {
  const auto frontEnd = find_front_end(frontEnds, file.toStdString(), text.toStdString());
  if (!frontEnd) return {};
  const LanguageWords words = (*frontEnd)->words();
  EnergyWords result{.comment = toQt(words.comment)};
  for (const std::string& word : words.keywords) result.keywords.append(toQt(word));
  for (const std::string& name : words.names) result.names.append(toQt(name));
  return result;
}

// For devices whose spec lacks an architecture; the default of `thallo print ptx`.
constexpr const char* UsualCudaArchitecture = "sm_90";

std::string cudaArchitecture(const DeviceSpec& device) {
  static const QRegularExpression Named("sm_\\d+[a-z]?");
  const auto match = Named.match(toQt(device.signature));
  return match.hasMatch() ? match.captured().toStdString() : UsualCudaArchitecture;
}

}  // namespace

Expected<std::shared_ptr<OpenProblem>> OpenProblem::open(std::shared_ptr<Session> session,
                                                         const ProblemRequest& request,
                                                         const QString& deviceSpec) {
  THALLO_TRY(auto device, named_device_spec(deviceSpec.toStdString(), "auto"));
  THALLO_TRY(auto target, targetOf(*session, request, deviceSpec, device));
  THALLO_TRY(auto problem, ExploredProblem::open(*session, target));
  return std::shared_ptr<OpenProblem>(new OpenProblem(std::move(session), std::move(target),
                                                      std::move(problem), std::move(device)));
}

OpenProblem::OpenProblem(std::shared_ptr<Session> session, ExplorationTarget target,
                         ExploredProblem problem, DeviceSpec device)
    : m_session(std::move(session)),
      m_target(std::move(target)),
      m_explored(std::move(problem)),
      m_pricer(m_explored.file.energy, m_explored.instance.binding,
               m_explored.price_options(*m_explored.model), std::move(device)),
      m_limit(m_explored.file.energy, m_explored.instance.binding, m_explored.program,
              m_explored.program.precision, memoryLimit(m_explored, m_pricer.device())) {}

ProblemSnapshot OpenProblem::snapshot() {
  const Energy& energy = m_explored.file.energy.as_written();
  const Binding& binding = m_explored.instance.binding;
  const ProblemInfo info = m_explored.problem->info();
  ProblemSnapshot snapshot{.title = toQt(info.title),
                           .instance = toQt(m_explored.instance.title),
                           .signature = toQt(m_explored.signature),
                           .unknowns = binding.num_unknowns(energy),
                           .residuals = binding.num_residuals(energy),
                           .energyText = toQt(to_string(energy)),
                           .source = readEnergySource(*m_session, toQt(m_target.problem), &energy),
                           .symbols = symbolsOf(energy),
                           .deviceName = toQt(m_pricer.device().name),
                           .backend = toQt(m_pricer.device().backend),
                           .precision = toQt(to_string(m_explored.program.precision)),
                           .linearIterations = m_explored.counts.linear_iterations};
  for (const auto& [name, text] : m_explored.instance.labels)
    snapshot.labels.emplace_back(toQt(name), toQt(text));
  for (const NamedProposal& named : named_proposals(m_explored, m_pricer.device())) {
    NamedSchedule schedule{
        toQt(named.name), toQt(named.proposal.text), toQt(named.proposal.hash), {}};
    if (const auto plan = m_explored.plan_of(named.proposal.schedule))
      schedule.seconds = m_pricer.price(*plan).prediction.nonlinear_iteration;
    snapshot.schedules.push_back(std::move(schedule));
  }
  for (const Construct* construct : in_stage_order(*m_explored.constructs)) {
    snapshot.constructs.push_back(
        {toQt(construct->name()), toQt(construct->doc()), toQt(to_string(construct->stage()))});
  }
  return snapshot;
}

QString OpenProblem::hashOf(const Schedule& schedule) const {
  return toQt(schedule.hash(*m_explored.constructs).hex());
}

PriceScope OpenProblem::scope() const {
  const PriceOptions& options = m_pricer.options();
  return {.model = *options.model, .device = m_pricer.device(), .counts = options.counts};
}

EnergyDag& OpenProblem::dag() {
  if (!m_dag) m_dag.emplace(energy());
  return *m_dag;
}

OpenRequest OpenProblem::openRequest() const {
  OpenRequest request{.target = m_target, .spec = device_spec_text(device())};
  if (m_target.backend == "cuda") request.architecture = cudaArchitecture(device());
  return request;
}

EnergySource readEnergySource(Session& session, const QString& problem, const Energy* energy) {
  const auto* entry = session.problems().find_entry(problem.toStdString());
  const auto* ofFile =
      entry == nullptr ? nullptr : dynamic_cast<const EnergyProblem*>(entry->item.get());
  std::filesystem::path path;
  if (ofFile != nullptr)
    path = ofFile->text_file();
  else if (energy != nullptr && !energy->groups().empty())
    path = energy->groups().front().where.file;
  QFile file(toQt(path.string()));
  if (path.empty() || !check_plain_file(path) || !file.open(QIODevice::ReadOnly)) return {};
  EnergySource source{.file = file.fileName(),
                      .text = textOfBytes(file.readAll()),
                      .isOwn = ofFile != nullptr && !is_shipped(path)};
  source.words = wordsOf(session.front_ends(), source.file, source.text);
  return source;
}

}  // namespace thallo::gui
