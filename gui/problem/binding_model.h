// The facts of the inputs that are being bound, or of the options of a problem that name files.
// Sources are checked a moment after they were typed, by a job.
#pragma once

#include <functional>
#include <map>
#include <memory>

#include <QObject>
#include <QTimer>

#include "gui/jobs/job_runner.h"
#include "gui/problem/bound_files.h"

namespace thallo::gui {

class BindingModel final : public QObject {
  Q_OBJECT

 public:
  using Facts = std::map<QString, InputFacts>;

  BindingModel();

  // Forgets everything, also what is being checked.
  void clear();
  // Checks the bindings of the energy.
  void checkBindings(std::shared_ptr<const Energy> energy, const InputSources& sources,
                     bool isComplete);
  // Checks files, by option.
  void checkFiles(const InputSources& files);

  // What the last check has found; earlier ones count until a later one has ended.
  const Facts& facts() const { return m_facts; }
  bool hasFault() const;
  // True if what was typed last is not checked yet.
  bool isBusy() const { return m_wait.isActive() || m_runner.isBusy("facts"); }

 Q_SIGNALS:
  void changed();

 private:
  void checkSoon(std::function<Facts()> work);

  std::function<Facts()> m_work;
  Facts m_facts;
  QTimer m_wait;
  JobRunner m_runner{1};
};

}  // namespace thallo::gui
