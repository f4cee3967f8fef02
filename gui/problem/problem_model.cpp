#include "gui/problem/problem_model.h"

#include <algorithm>
#include <utility>

#include <QFileInfo>

#include "gui/base/text.h"

namespace thallo::gui {
namespace {

// The spec used if nothing is known about this machine. It stands for any CPU and is therefore
// shown as the CPU of this machine, even though it names the CPU that it was measured on.
constexpr QLatin1String AnyCpu("cpu");

bool isCpuHere(const DeviceChoice& device) { return device.isHere() && device.backend == AnyCpu; }

}  // namespace

ProblemModel::ProblemModel(JobRunner& analysisRunner, std::vector<std::string> pluginPath,
                           const QString& program)
    : m_runner(analysisRunner), m_pluginPath(std::move(pluginPath)), m_localDevices(program) {
  connect(&m_localDevices, &LocalDevices::listed, this, &ProblemModel::takeDevices);
}

void ProblemModel::rescan() {
  m_session = std::make_shared<Session>(m_pluginPath);
  m_catalog = m_catalog.busy();
  Q_EMIT catalogChanged();
  m_runner.start(
      "catalog",
      [session = m_session](const std::stop_token&) -> Expected<Catalog> {
        return readCatalog(*session);
      },
      [this](Expected<Catalog> catalog) {
        m_catalog = m_catalog.next(std::move(catalog));
        takeDevices();
        if (!m_wantedFile.isEmpty()) openWantedFile();
      });
}

std::shared_ptr<Session> ProblemModel::session() {
  if (!m_session) rescan();
  return m_session;
}

void ProblemModel::openFile(const QString& file, const ProblemRequest& request) {
  const QFileInfo info(file);
  const std::string folder = info.absolutePath().toStdString();
  if (std::ranges::find(m_pluginPath, folder) == m_pluginPath.end())
    m_pluginPath.insert(m_pluginPath.begin(), folder);
  m_wantedFile = info.absoluteFilePath();
  m_request = request;
  m_request.problem = info.completeBaseName();
  leave();
  rescan();
}

void ProblemModel::leave() {
  m_opened.reset();
  m_unopened.reset();
  m_runner.cancel("problem");
  m_problem = Remote<ProblemSnapshot>::empty().busy();
  Q_EMIT problemChanged();
}

void ProblemModel::openWantedFile() {
  const QString file = std::exchange(m_wantedFile, {});
  const auto isWanted = [wanted = QFileInfo(file)](const QString& path) {
    return QFileInfo(path) == wanted;
  };
  QString fault = tr("%1: there is no such problem file").arg(file);
  if (m_catalog.isReady()) {
    const Catalog& catalog = *m_catalog.value;
    const auto card = std::ranges::find_if(catalog.problems, isWanted, &ProblemCard::provider);
    if (card != catalog.problems.end()) return open(m_request);
    const auto failed = std::ranges::find_if(catalog.plugins, isWanted, &PluginRow::path);
    if (failed != catalog.plugins.end()) fault = failed->fault;
  } else {
    fault = m_catalog.error;
  }
  failToOpen(fault);
}

void ProblemModel::failToOpen(const QString& why) {
  m_problem = m_problem.failed(why);
  Q_EMIT problemChanged();
}

// Puts the devices of this machine before the others in the catalog.
void ProblemModel::takeDevices() {
  if (m_catalog.value) {
    Catalog catalog = *m_catalog.value;
    std::erase_if(catalog.devices, &DeviceChoice::isHere);
    catalog.devices.insert(catalog.devices.begin(), m_localDevices.all().begin(),
                           m_localDevices.all().end());
    const DeviceChoice* cpu = catalog.findDevice(isCpuHere);
    const auto any = std::ranges::find(catalog.devices, AnyCpu, &DeviceChoice::id);
    if (cpu != nullptr && any != catalog.devices.end() && any->name != cpu->name) {
      any->source = tr("%1, %2").arg(any->name, any->source);
      any->name = cpu->name;
    }
    m_catalog.value = std::make_shared<const Catalog>(std::move(catalog));
  }
  Q_EMIT catalogChanged();
  if (m_needsDevice) chooseDevice();
}

void ProblemModel::open(const ProblemRequest& request) {
  if (!m_session) rescan();
  m_wantedFile.clear();
  m_request = request;
  leave();
  chooseDevice();
}

std::shared_ptr<const EnergySource> ProblemModel::source() const {
  const auto& problem = m_problem.value;
  return problem ? std::shared_ptr<const EnergySource>(problem, &problem->source) : m_unopened;
}

QString ProblemModel::file() const {
  const ProblemCard* card = m_catalog.value ? m_catalog.value->find(m_request.problem) : nullptr;
  return card != nullptr && card->isOfFile() ? card->provider : QString();
}

QString ProblemModel::key() const {
  const QString its = file();
  return its.isEmpty() ? m_request.problem : its;
}

QString ProblemModel::deviceName() const {
  if (!m_problem.value) return {};
  const QString ofSpec = m_problem.value->deviceName;
  const DeviceChoice* device =
      !m_catalog.value ? nullptr : m_catalog.value->findDevice([this](const DeviceChoice& its) {
        return its.id == m_problem.value->request.device;
      });
  if (device == nullptr) return ofSpec;
  if (device->isHere() || device->name == ofSpec) return device->name;
  return tr("%1 (%2)").arg(device->name, device->id);
}

const DeviceChoice* ProblemModel::measuringDevice() const {
  if (!m_problem.value || !m_catalog.value) return nullptr;
  const ProblemSnapshot& problem = *m_problem.value;
  return m_catalog.value->findDevice([&problem](const DeviceChoice& device) {
    if (!device.isHere() || device.backend != problem.backend) return false;
    return isCpuHere(device) || device.name == problem.deviceName;
  });
}

void ProblemModel::chooseDevice() {
  m_needsDevice = m_request.device.isEmpty() && !m_localDevices.isListed();
  if (m_needsDevice) return;
  if (m_request.device.isEmpty()) {
    const auto& all = m_localDevices.all();
    m_request.device = all.empty() ? AnyCpu : all.front().id;
  }
  findSpec();
}

void ProblemModel::findSpec() {
  m_localDevices.findSpec(m_request.device, [this](const Expected<QString>& spec) {
    if (spec)
      analyze(*spec);
    else
      failToOpen(toQt(spec.error()));
  });
}

void ProblemModel::analyze(const QString& deviceSpec) {
  struct Opened {
    std::shared_ptr<OpenProblem> problem;  // null if the problem could not be opened
    ProblemSnapshot snapshot;              // then it has the source alone
    QString fault;
  };
  m_runner.start(
      "problem",
      [session = m_session, request = m_request,
       deviceSpec](const std::stop_token&) -> Expected<Opened> {
        auto problem = OpenProblem::open(session, request, deviceSpec);
        if (!problem) {
          const Diagnostic& why = problem.error();
          ProblemSnapshot unopened{.source = readEnergySource(*session, request.problem, nullptr)};
          unopened.source.isFaulty = toQt(why.where.file) == unopened.source.file;
          return Opened{nullptr, std::move(unopened), toQt(why)};
        }
        ProblemSnapshot snapshot = (*problem)->snapshot();
        snapshot.request = request;
        return Opened{*std::move(problem), std::move(snapshot), {}};
      },
      [this](Expected<Opened> opened) {
        if (opened && !opened->problem) {
          if (const EnergySource& its = opened->snapshot.source; !its.file.isEmpty())
            m_unopened = std::make_shared<const EnergySource>(its);
          m_problem = m_problem.failed(opened->fault);
        } else if (opened) {
          m_opened = std::move(opened->problem);
          m_problem = Remote<ProblemSnapshot>::ready(std::move(opened->snapshot));
        } else {
          m_problem = m_problem.failed(toQt(opened.error()));
        }
        Q_EMIT problemChanged();
      });
}

}  // namespace thallo::gui
