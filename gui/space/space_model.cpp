#include "gui/space/space_model.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QStandardPaths>

#include "gui/base/text.h"
#include "gui/space/shipped_store.h"
#include "gui/space/space_reader.h"

namespace thallo::gui {
namespace {

// The interval for reading a store that an exploration writes.
constexpr auto RefreshInterval = std::chrono::seconds(1);

}  // namespace

// The source of measurements, opened by the first job.
struct SpaceModel::Reading {
  ExplorationTarget target;
  std::shared_ptr<const ProblemSnapshot> problem;
  std::shared_ptr<SpaceReader> reader;
  bool hasShipped = false;  // true if shipped measurements were added to the problem's store

  Expected<void> addShipped(const QString& store, const QString& name) {
    if (hasShipped && QFile::exists(store)) return {};
    auto added = gui::addShipped(store, name);
    hasShipped = added.has_value();
    return added;
  }
  Expected<std::shared_ptr<SpaceReader>> open() {
    if (!reader) {
      THALLO_TRY(reader, SpaceReader::open(target, *problem));
    }
    return reader;
  }
  // Returns nothing if there is no such file; the problem is not opened for it.
  Expected<std::optional<SpaceSnapshot>> read(const QString& store, const QString& device) {
    if (!QFile::exists(store)) return std::optional<SpaceSnapshot>();
    THALLO_TRY(const auto opened, open());
    return (opened)->read(store, device);
  }
};

SpaceModel::SpaceModel(ProblemModel& problems, QStringList workerCommand, const QString& store)
    : m_problems(problems),
      m_wantedStore(store),
      m_exploration(workerCommand),
      m_measurement(std::move(workerCommand)) {
  m_refresh.setInterval(RefreshInterval);
  connect(&m_refresh, &QTimer::timeout, this, [this] {
    if (!m_runner.isBusy("space")) reload();
  });
  connect(&problems, &ProblemModel::problemChanged, this, &SpaceModel::onProblemChanged);
  connect(&m_exploration, &ExplorationModel::changed, this, &SpaceModel::onExplorationChanged);
  connect(&m_measurement, &MeasurementModel::changed, this, &SpaceModel::onMeasurementChanged);
}

QString SpaceModel::store() const {
  if (!m_wantedStore.isEmpty() || m_problems.request().problem.isEmpty()) return m_wantedStore;
  const QString folder = QStandardPaths::writableLocation(QStandardPaths::AppDataLocation);
  return QDir(folder).filePath(m_problems.request().problem + ".store");
}

void SpaceModel::openStore(const QString& file) {
  endWork();
  m_wantedStore = file;
  m_putAsideAs.clear();
  m_space = {};
  m_beside.begin(besideRead());
  reload();
}

bool SpaceModel::canPutAside() const {
  const QFileInfo file(store());
  return m_space.state == RemoteState::Failed && file.isFile() &&
         (m_wantedStore.isEmpty() || file.suffix() == "store");
}

Expected<void> SpaceModel::putAside() {
  endWork();
  const QFileInfo file(store());
  const auto name = [&](int number) {
    const QString tail = number == 1 ? QString() : QString("-%1").arg(number);
    return file.dir().filePath(file.completeBaseName() + ".damaged" + tail + ".store");
  };
  int number = 1;
  while (QFile::exists(name(number))) ++number;
  // Files that SQLite keeps beside a store belong to it, and would damage a new store.
  for (const char* beside : {"", "-wal", "-shm"}) {
    QFile part(file.filePath() + beside);
    if (!part.exists() || part.rename(name(number) + beside)) continue;
    return fail("{} cannot be renamed: {}", part.fileName().toStdString(),
                part.errorString().toStdString());
  }
  m_putAsideAs = name(number);
  m_space = {};
  m_beside.begin(besideRead());
  reload();
  return {};
}

void SpaceModel::onProblemChanged() {
  m_putAsideAs.clear();
  endWork();
  m_runner.cancel("space");
  m_runner.cancel("count");
  m_reading.reset();
  m_space = {};
  m_counts = {};
  m_filter = {};
  m_device.clear();
  if (m_problems.problem().isReady()) {
    m_reading = std::make_shared<Reading>();
    // The target never changes.
    m_reading->target = m_problems.opened()->target();
    m_reading->problem = m_problems.problem().value;
  }
  m_beside.begin(besideRead());
  reload();
  Q_EMIT filterChanged();
  Q_EMIT countsChanged();
}

void SpaceModel::reload() {
  if (m_reading) {
    m_runner.start(
        "space",
        [reading = m_reading, store = store(), device = m_device,
         own = m_wantedStore.isEmpty() ? m_problems.request().problem : QString()](
            const std::stop_token&) -> Expected<std::optional<SpaceSnapshot>> {
          if (!own.isEmpty()) {
            THALLO_CHECK(reading->addShipped(store, own));
          }
          return reading->read(store, device);
        },
        [this](Expected<std::optional<SpaceSnapshot>> read) {
          if (!read)
            setSpace(m_space.failed(toQt(read.error())));
          else if (*read)
            show(**std::move(read));
          else
            setSpace({});
        });
  }
  setSpace(m_reading ? m_space.busy() : m_space);
}

BesideSpaces::Read SpaceModel::besideRead() const {
  if (!m_reading) return {};
  return [reading = m_reading,
          own = store()](const SpaceSource& source) -> Expected<std::optional<SpaceSnapshot>> {
    const QString& file = source.store.isEmpty() ? own : source.store;
    // The page's own store may not exist yet, but a named store must.
    if (!source.store.isEmpty() && !QFile::exists(file))
      return fail("no such file: {}", file.toStdString());
    return reading->read(file, source.device);
  };
}

void SpaceModel::show(SpaceSnapshot space) {
  setSpace(Remote<SpaceSnapshot>::ready(std::move(space)));
}

void SpaceModel::setSpace(Remote<SpaceSnapshot> space) {
  m_space = std::move(space);
  // Must come first, because receivers of the other signals look at what is shown.
  applyFilter();
  if (m_space.value) m_beside.remove({.device = m_space.value->device.signature});
  m_beside.setReference(m_space.value);
  Q_EMIT spaceChanged();
}

void SpaceModel::showDevice(const QString& signature) {
  if (m_space.value && m_space.value->device.signature == signature) return;
  m_device = signature;
  setFilter({});
  reload();
}

std::optional<FoundCandidate> SpaceModel::findCandidate(const QString& hash) const {
  const auto& here = m_space.value;
  if (const auto found = here ? here->find(hash) : std::nullopt) return {{here, *found, {}}};
  for (const BesideSpace& its : m_beside.all()) {
    const auto& there = its.space.value;
    if (const auto found = there ? there->find(hash) : std::nullopt)
      return {{there, *found, m_beside.nameOf(its)}};
  }
  return std::nullopt;
}

void SpaceModel::setFilter(const SpaceFilter& filter) {
  if (filter == m_filter) return;
  m_filter = filter;
  applyFilter();
  Q_EMIT filterChanged();
}

void SpaceModel::applyFilter() {
  m_shown = m_space.value ? filtered(*m_space.value, m_filter) : std::vector<bool>();
  m_numShown = static_cast<std::size_t>(std::ranges::count(m_shown, true));
}

void SpaceModel::setPins(const QStringList& pins) {
  if (pins == m_pins) return;
  m_pins = pins;
  m_runner.cancel("count");
  m_counts = {};
  Q_EMIT countsChanged();
}

void SpaceModel::count(const QString& space) {
  if (!m_reading) return;
  m_counts = m_counts.busy();
  Q_EMIT countsChanged();
  m_runner.start(
      "count",
      [reading = m_reading, space, pins = m_pins](const std::stop_token&) -> Expected<SpaceCounts> {
        THALLO_TRY(const auto reader, reading->open());
        return (reader)->count(space, pins);
      },
      [this](Expected<SpaceCounts> counts) {
        m_counts = m_counts.next(std::move(counts));
        Q_EMIT countsChanged();
      });
}

void SpaceModel::explore(const ExplorationSettings& settings) {
  if (!m_reading) return;
  prepareStore();
  ExplorationSettings pinned = settings;
  pinned.pins = m_pins;
  m_exploration.start(m_reading->target, store(), pinned);
}

void SpaceModel::endWork() {
  m_exploration.forget();
  m_measurement.cancel();
}

void SpaceModel::measure(const QString& name, const Proposal& schedule) {
  if (!m_reading) return;
  prepareStore();
  const bool isSolved =
      m_space.value && isOfProblemsDevice() && m_space.value->kind == ResultKind::EndToEnd;
  m_measurement.start(m_reading->target, store(),
                      {.name = name, .proposal = schedule, .isSolved = isSolved});
}

void SpaceModel::prepareStore() {
  QDir().mkpath(QFileInfo(store()).absolutePath());
  if (QFile::exists(store())) return;
  if (m_space.value)
    Q_EMIT told(tr("%1 was deleted, and what was measured in it is lost; a new one is begun.")
                    .arg(store()));
  if (!m_wantedStore.isEmpty()) return;
  if (const auto added = addShipped(store(), m_problems.request().problem); !added)
    Q_EMIT told(toQt(added.error()));
}

void SpaceModel::follow(const QString& written) {
  if (written.isEmpty() || written == store()) return;
  Q_EMIT told(tr("%1 was deleted, renamed or replaced; all that was measured is in %2.")
                  .arg(store(), written));
  m_wantedStore = written;
  reload();
}

// A failed measurement may have written something, too.
void SpaceModel::onMeasurementChanged() {
  const bool isRunning = m_measurement.isRunning();
  if (std::exchange(m_wasMeasuring, isRunning) == isRunning || isRunning) return;
  if (!isOfProblemsDevice()) m_device.clear();
  follow(m_measurement.store());
  reload();
}

void SpaceModel::onExplorationChanged() {
  follow(m_exploration.store());
  const bool isRunning = m_exploration.isRunning();
  if (isRunning == m_wasRunning) return;
  m_wasRunning = isRunning;
  if (isRunning) {
    m_refresh.start();
  } else {
    m_refresh.stop();
    reload();
    m_beside.reload();
  }
}

bool SpaceModel::isOfProblemsDevice() const {
  const auto& problem = m_problems.problem().value;
  return problem && m_space.value && m_space.value->device.name == problem->deviceName;
}

std::optional<MeasuredTimes> SpaceModel::measured(const QString& hash) const {
  if (!m_space.value || !isOfProblemsDevice()) return std::nullopt;
  const SpaceSnapshot& space = *m_space.value;
  const auto candidate = space.find(hash);
  if (!candidate || std::isnan(space.seconds[*candidate])) return std::nullopt;
  MeasuredTimes times{.nonlinear = space.seconds[*candidate]};
  if (const auto steps = space.steps.find(hash); steps != space.steps.end())
    times.steps = steps->second;
  if (const auto spread = space.spreads.find(hash); spread != space.spreads.end())
    times.spread = spread->second;
  return times;
}

}  // namespace thallo::gui
