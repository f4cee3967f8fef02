// The catalog of problems, and the one that is open.
#pragma once

#include <memory>

#include <QObject>

#include "gui/jobs/job_runner.h"
#include "gui/models/catalog.h"
#include "gui/models/local_devices.h"
#include "gui/models/problem_data.h"
#include "gui/models/remote.h"

namespace thallo::gui {

class Analysis;

class ProblemModel final : public QObject {
  Q_OBJECT

 public:
  // `analysisRunner` has one thread; `program` is thallo.
  ProblemModel(JobRunner& analysisRunner, std::vector<std::string> pluginPath,
               const QString& program, QObject* parent = nullptr);

  const Remote<Catalog>& catalog() const { return m_catalog; }
  // Has the catalog those of this machine? Until then nobody can choose among all.
  bool knowsDevices() const { return m_localDevices.isListed(); }
  // Loads all plugins and .toml files afresh. An open problem stays as it is.
  void rescan();

  // The problem that is open; Empty before the first.
  const Remote<ProblemSnapshot>& problem() const { return m_problem; }
  // The last that was asked for, also while it opens and when it failed.
  const ProblemRequest& request() const { return m_request; }
  void open(const ProblemRequest& request);
  // The .toml file that the problem is of; empty when a plugin provides it.
  QString file() const;
  // Tells problems apart, whatever their options: the file, else the name.
  QString key() const;
  // Opens the problem of a .toml file: searches its folder from now on, too, and rescans. The name
  // in the request is not used.
  void openFile(const QString& file, const ProblemRequest& request = {});
  // Null unless a problem is open. To be used on the analysis runner alone.
  const std::shared_ptr<Analysis>& analysis() const { return m_analysis; }
  const std::vector<std::string>& pluginPath() const { return m_pluginPath; }

 Q_SIGNALS:
  void catalogChanged();
  void problemChanged();

 private:
  void openWantedFile();
  // The way of open(): to a device, to what it reaches, to the problem.
  void chooseDevice();
  void findSpec();
  void analyze(const QString& deviceSpec);
  void failToOpen(const QString& why);
  void takeDevices();

  JobRunner& m_runner;
  std::vector<std::string> m_pluginPath;
  std::shared_ptr<Session> m_session;
  LocalDevices m_localDevices;
  // Is a problem to be opened when the devices of this machine are known?
  bool m_needsDevice = false;
  Remote<Catalog> m_catalog;
  QString m_wantedFile;  // to be opened when the catalog has arrived
  ProblemRequest m_request;
  Remote<ProblemSnapshot> m_problem;
  std::shared_ptr<Analysis> m_analysis;
};

}  // namespace thallo::gui
