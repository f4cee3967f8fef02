// The catalog of problems, and the open problem.
#pragma once

#include <memory>

#include <QObject>

#include "gui/base/remote.h"
#include "gui/jobs/job_runner.h"
#include "gui/problem/catalog.h"
#include "gui/problem/local_devices.h"
#include "gui/problem/open_problem.h"
#include "gui/problem/problem_data.h"

namespace thallo::gui {

class ProblemModel final : public QObject {
  Q_OBJECT

 public:
  // `analysisRunner` must have one thread. `program` is the path of thallo.
  ProblemModel(JobRunner& analysisRunner, std::vector<std::string> pluginPath,
               const QString& program);

  const Remote<Catalog>& catalog() const { return m_catalog; }
  // True if the catalog contains the devices of this machine. Until then, the list of devices is
  // incomplete.
  bool knowsDevices() const { return m_localDevices.isListed(); }
  // Reloads all plugins and .toml files. The open problem is not affected.
  void rescan();

  // The open problem; Empty before the first one.
  const Remote<ProblemSnapshot>& problem() const { return m_problem; }
  // The text of its energy; null until the problem is open, or could not be opened. Then only
  // problems of .toml files have one, to be mended.
  std::shared_ptr<const EnergySource> source() const;
  // The last request, even while the problem opens and if it failed.
  const ProblemRequest& request() const { return m_request; }
  void open(const ProblemRequest& request);
  // The .toml file that defines the open problem; empty if a plugin defines it.
  QString file() const;
  // Identifies a problem regardless of its options: the file or, without one, the name.
  QString key() const;
  // Opens the problem of a .toml file. Adds its folder to the searched ones and rescans. The name
  // in the request is ignored.
  void openFile(const QString& file, const ProblemRequest& request = {});
  // The name of the device that times of the open problem are predicted for. Every place that names
  // the device uses it.
  QString deviceName() const;
  // The device of this machine that the open problem is measured on. Null if no device of this
  // machine fits, and until they are known.
  const DeviceChoice* measuringDevice() const;
  // Null unless a problem is open. Must only be used on the analysis runner.
  const std::shared_ptr<OpenProblem>& opened() const { return m_opened; }
  // The session of the last rescan. Only the analysis runner may use it.
  std::shared_ptr<Session> session();
  const std::vector<std::string>& pluginPath() const { return m_pluginPath; }

 Q_SIGNALS:
  void catalogChanged();
  void problemChanged();

 private:
  // Leaves the open problem; another one will be opened.
  void leave();
  void openWantedFile();
  // The stages of open(): find the device, then its spec, then open the problem.
  void chooseDevice();
  void findSpec();
  void analyze(const QString& deviceSpec);
  void failToOpen(const QString& why);
  void takeDevices();

  JobRunner& m_runner;
  std::vector<std::string> m_pluginPath;
  std::shared_ptr<Session> m_session;
  LocalDevices m_localDevices;
  // True if a problem will be opened once the devices of this machine are known.
  bool m_needsDevice = false;
  Remote<Catalog> m_catalog;
  QString m_wantedFile;  // opened once the catalog has arrived
  ProblemRequest m_request;
  Remote<ProblemSnapshot> m_problem;
  std::shared_ptr<const EnergySource> m_unopened;  // of the problem that could not be opened
  std::shared_ptr<OpenProblem> m_opened;
};

}  // namespace thallo::gui
