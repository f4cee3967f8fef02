#include "gui/space/space_reader.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <map>
#include <system_error>
#include <utility>

#include <QDateTime>

#include "core/explore/report/statistics_of_results.h"
#include "core/explore/space/explored_space.h"
#include "gui/base/text.h"

namespace thallo::gui {
namespace {

constexpr double NoTime = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t NumDensity = 240;
// The count must be fast, because the user waits for it.
constexpr CountLimits CountPatience = {.max_nodes = 10'000'000, .max_seconds = 10};

// Returns the time of the fastest schedule; infinite if there is none.
double bestSeconds(const DeviceReport& report) {
  const std::vector<std::size_t> order = by_time(report.candidates, report.kind);
  if (order.empty()) return std::numeric_limits<double>::infinity();
  return *measured_seconds(report.candidates[order.front()], report.kind);
}

// Returns when the problem was last measured on the device, in seconds since 1970.
std::int64_t lastMeasured(const MeasurementStore& store, const StoreSelection& selection) {
  std::int64_t last = 0;
  if (const auto results = store.list<ScheduleResult>(selection)) {
    for (const ScheduleResult& result : *results) last = std::max(last, result.origin.unix_seconds);
  }
  return last;
}

// Returns the devices of a store. If several have the same name, such as two GPUs of one model, the
// time of measuring is appended to the name.
std::vector<SpaceDevice> devicesOf(const std::vector<DeviceReport>& reports,
                                   const std::map<std::string, std::int64_t>& measured) {
  std::vector<SpaceDevice> devices;
  for (const DeviceReport& report : reports) {
    QString name = toQt(report.device.name);
    const auto isSame = [&](const DeviceReport& its) {
      return its.device.name == report.device.name;
    };
    if (std::ranges::count_if(reports, isSame) > 1) {
      const QDateTime last = QDateTime::fromSecsSinceEpoch(measured.at(report.device.signature));
      name += QStringLiteral(", %1").arg(last.toString(Qt::ISODate).replace('T', ' ').left(16));
    }
    devices.push_back({toQt(report.device.signature), name});
  }
  return devices;
}

void addSpreads(SpaceSnapshot& space, const DeviceReport& report) {
  for (const Candidate& candidate : report.candidates) {
    const QString hash = toQt(candidate.hash);
    if (report.kind == ResultKind::EndToEnd) {
      const auto& solved = candidate.end_to_end;
      if (solved && solved->samples.size() > 1)
        space.spreads[hash] = half_interquartile_range(solved->samples);
      continue;
    }
    const auto steps = report.steps.find(candidate.hash);
    if (steps == report.steps.end()) continue;
    const bool isKnown = std::ranges::all_of(
        steps->second, [](const StepCost& step) { return step.hot_spread.has_value(); });
    if (!isKnown) continue;
    double& spread = space.spreads[hash];
    for (const StepCost& step : steps->second) spread += step.runs * *step.hot_spread;
  }
}

void addPredictions(SpaceSnapshot& space, const DeviceReport& report) {
  for (const ModelAccuracy& accuracy : report.models) {
    TimeColumn column{.name = toQt(accuracy.model),
                      .isPredicted = true,
                      .rho = accuracy.rho,
                      .medianError = accuracy.median_error,
                      .numCompared = accuracy.num_compared};
    for (const Candidate& candidate : report.candidates)
      column.seconds.push_back(candidate.predicted(accuracy.model).value_or(NoTime));
    space.predicted.push_back(std::move(column));
  }
}

}  // namespace

SpaceSnapshot spaceSnapshot(const DeviceReport& report) {
  SpaceSnapshot space;
  space.device = {toQt(report.device.signature), toQt(report.device.name)};
  space.kind = report.kind;
  space.candidates = report.candidates;
  for (const Candidate& candidate : report.candidates) {
    space.hash.push_back(toQt(candidate.hash));
    space.seconds.push_back(measured_seconds(candidate, report.kind).value_or(NoTime));
  }
  addPredictions(space, report);
  space.model = toQt(report.model);
  for (const Mark& mark : report.marks)
    if (mark.seconds) space.marks.push_back(mark);
  std::ranges::stable_sort(space.marks, {}, &Mark::seconds);
  space.failures = report.failures;
  space.byTime = by_time(report.candidates, report.kind);
  std::vector<double> times;
  for (const std::size_t i : space.byTime) times.push_back(space.seconds[i]);
  space.logBins = log_histogram(times, num_bins_of(times.size()));
  space.linearBins = linear_histogram(times, num_bins_of(times.size()));
  space.density = log_density(times, NumDensity);
  space.effects = report.effects;
  for (const auto& [hash, steps] : report.steps) {
    for (const StepCost& step : steps) {
      if (step.hot)
        space.steps[toQt(hash)].emplace(toQt(step.label),
                                        MeasuredTimes::Step{*step.hot, step.hot_spread});
    }
  }
  addSpreads(space, report);
  return space;
}

Expected<std::shared_ptr<SpaceReader>> SpaceReader::open(const ExplorationTarget& target,
                                                         const ProblemSnapshot& problem) {
  auto session = std::make_unique<Session>(target.plugin_path);
  THALLO_TRY(auto explored, ExploredProblem::open(*session, target));
  return std::shared_ptr<SpaceReader>(
      new SpaceReader(std::move(session), std::move(explored), problem));
}

SpaceReader::SpaceReader(std::unique_ptr<Session> session, ExploredProblem problem,
                         const ProblemSnapshot& snapshot)
    : m_session(std::move(session)),
      m_problem(std::move(problem)),
      m_device(snapshot.deviceName.toStdString()),
      m_backend(snapshot.backend.toStdString()),
      m_decisions(m_problem) {
  for (const NamedSchedule& named : snapshot.schedules) {
    m_named.push_back(
        {named.name.toStdString(), {{}, named.text.toStdString(), named.hash.toStdString()}});
  }
}

Expected<std::optional<SpaceSnapshot>> SpaceReader::read(const QString& file,
                                                         const QString& device) {
  const std::filesystem::path path = file.toStdString();
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return std::optional<SpaceSnapshot>();
  THALLO_TRY(const auto store, MeasurementStore::open(path, MeasurementStore::Access::Read));
  THALLO_TRY(const auto known,
             store.list<ProblemRecord>({.problem = m_problem.signature, .device = ""}));
  if (known.empty()) return std::optional<SpaceSnapshot>();
  const auto report = make_report(store, m_problem, *m_problem.model,
                                  {.device = "",
                                   .device_spec = "",
                                   .most_estimates = 0,
                                   .named = m_named,
                                   .decisions = &m_decisions});
  if (!report) {
    // An exploration may have begun without any result yet.
    const auto results = store.list<ScheduleResult>({.problem = m_problem.signature, .device = ""});
    if (results && results->empty()) return std::optional<SpaceSnapshot>();
    return fail(report.error());
  }
  const auto& all = report->devices;
  const auto rank = [&](const DeviceReport& its) {
    if (its.device.signature == device.toStdString()) return 0;
    if (its.device.name == m_device && its.device.backend == m_backend) return 1;
    return its.device.backend == m_backend ? 2 : 3;
  };
  std::map<std::string, std::int64_t> measured;
  if (all.size() > 1) {
    for (const DeviceReport& its : all) {
      measured[its.device.signature] =
          lastMeasured(store, {m_problem.signature, its.device.signature});
    }
  }
  // Of several GPUs of one model, prefers the one measured last.
  const auto before = [&](const DeviceReport& a, const DeviceReport& b) {
    if (rank(a) == rank(b) && a.device.name == b.device.name)
      return measured.at(a.device.signature) > measured.at(b.device.signature);
    return std::pair(rank(a), bestSeconds(a)) < std::pair(rank(b), bestSeconds(b));
  };
  const DeviceReport& chosen = *std::ranges::min_element(all, before);
  SpaceSnapshot space = spaceSnapshot(chosen);
  space.devices = devicesOf(all, measured);
  THALLO_TRY(auto runs,
             store.list<SearchRunRecord>({m_problem.signature, chosen.device.signature}));
  space.runs = runCurves(std::move(runs), chosen.kind);
  return std::optional(std::move(space));
}

Expected<SpaceCounts> SpaceReader::count(const QString& name, const QStringList& pins) const {
  std::optional<PublishedProfile> profile;
  if (name.toStdString() != FullSpaceName) {
    THALLO_TRY(profile, read_published_profile(name.toStdString()));
  }
  SpaceOptions options{.memory_limit = m_problem.compile.memory_limit, .limits = CountPatience};
  if (!pins.isEmpty()) {
    THALLO_TRY(options.pins, m_problem.read_pins(pins.join('\n').toStdString()));
  }
  THALLO_TRY(const auto space, ExploredSpace::make(m_problem.file, m_problem.instance.binding,
                                                   m_problem.program.precision,
                                                   *m_problem.constructs, profile, options));
  SpaceCounts counts{.space = name, .id = toQt(space->id())};
  const auto text = [](const BigCount& count) { return countText(static_cast<double>(count)); };
  if (const IndexedSpace* indexed = space->indexed()) {
    counts.total = text(indexed->size());
    for (const StageCount& stage : indexed->stages()) {
      SpaceCounts::Stage its{toQt(stage.name), text(stage.count), {}};
      for (const SiteCount& site : stage.sites)
        its.sites.push_back({toQt(site.name), text(site.count)});
      counts.stages.push_back(std::move(its));
    }
    return counts;
  }
  const FullCount& full = *space->full_count();
  counts.note = toQt(full.why_no_space);
  if (full.walked) counts.total = text(*full.walked);
  if (full.estimate) counts.total = QStringLiteral("about ") + text(full.estimate->mean);
  return counts;
}

}  // namespace thallo::gui
