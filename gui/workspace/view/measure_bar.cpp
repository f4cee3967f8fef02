#include "gui/workspace/view/measure_bar.h"

#include <QAction>
#include <QLabel>
#include <QPushButton>

#include "gui/base/text.h"
#include "gui/widgets/layouts.h"

namespace thallo::gui {
namespace {

class MeasureBar final : public QWidget {
 public:
  explicit MeasureBar(Workspace& workspace)
      : m_workspace(workspace),
        m_text(named(new QLabel, "measureText")),
        m_button(named(new QPushButton, "measureButton")),
        m_measure(new QAction(this)),
        m_stop(new QAction(tr("Stop measuring"), this)) {
    setObjectName("measureBar");
    // A long reason is cut, so that it does not widen the window. The tool tip has all of it.
    m_text->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    setLayout(makeRow({{m_text, 1}, m_button}, {8, 0, 0, 0}));
    connect(m_button, &QPushButton::clicked, this, &MeasureBar::press);
    connect(&workspace.space().measurement(), &MeasurementModel::changed, this,
            &MeasureBar::refresh);
    connect(&workspace.schedule(), &ScheduleModel::scheduleChanged, this, &MeasureBar::refresh);
    connect(&workspace.problems(), &ProblemModel::problemChanged, this, &MeasureBar::leaveRefusal);
    connect(&workspace.problems(), &ProblemModel::catalogChanged, this, &MeasureBar::refresh);
    makeActions();
    refresh();
  }

 private:
  void makeActions() {
    m_measure->setShortcut(QKeySequence(tr("Ctrl+M")));
    m_stop->setShortcut(QKeySequence(Qt::Key_Escape));
    for (QAction* action : {m_measure, m_stop}) {
      connect(action, &QAction::triggered, this, &MeasureBar::measure);
      addAction(action);
    }
    m_workspace.addSearchEntries([this]() -> std::vector<SearchEntry> {
      return {{tr("action"), m_measure->text(), m_measure->toolTip(),
               [this] { m_measure->trigger(); }}};
    });
  }

  // Measures the current schedule, or cancels that, or shows why it cannot be measured.
  void measure() {
    const auto& schedule = m_workspace.schedule().schedule().value;
    const bool isRefused =
        !m_workspace.space().measurement().isRunning() && !m_workspace.whyNotMeasured().isEmpty();
    m_refused = isRefused && schedule ? schedule->hash : QString();
    if (!isRefused) m_workspace.measure();
    refresh();
  }

  void refresh() {
    const MeasurementModel& measurement = m_workspace.space().measurement();
    const bool isRunning = measurement.isRunning();
    m_stop->setEnabled(isRunning);
    m_measure->setText(isRunning ? m_stop->text() : tr("Measure this"));
    m_measure->setToolTip(
        isRunning ? tr("Ends the measurement (Ctrl+M, Esc)")
                  : tr("Compiles the current schedule and measures it on this machine (Ctrl+M)"));
    const auto& schedule = m_workspace.schedule().schedule().value;
    const QString hash = schedule ? schedule->hash : QString();
    if (isRunning)
      return say(tr("Measuring %1: %2").arg(measurement.name(), measurement.doing()), tr("Stop"));
    if (!m_refused.isEmpty() && hash == m_refused && !m_workspace.whyNotMeasured().isEmpty()) {
      const DeviceChoice* here = m_workspace.deviceToMeasureOn();
      return say(m_workspace.whyNotMeasured(),
                 here != nullptr ? tr("Look on %1").arg(here->name) : QString());
    }
    // What was said of a schedule is of no interest for another one.
    if (hash != measurement.hash()) return say({});
    switch (measurement.state()) {
      case MeasurementModel::State::Failed:
        return say(tr("%1 was not measured: %2").arg(measurement.name(), measurement.error()));
      case MeasurementModel::State::Done: {
        const TimeEstimate& time = schedule->time;
        if (!time.measured) return say(tr("%1 was measured").arg(measurement.name()));
        return say(
            tr("%1 takes %2").arg(measurement.name(), spreadText(*time.measured, time.spread)));
      }
      default: return say({});
    }
  }

  void leaveRefusal() {
    m_refused.clear();
    refresh();
  }

  void press() {
    if (m_workspace.space().measurement().isRunning()) return m_workspace.measure();
    const DeviceChoice* here = m_workspace.deviceToMeasureOn();
    if (!m_refused.isEmpty() && here != nullptr) m_workspace.lookOn(QString(here->id));
  }

  void say(const QString& text, const QString& button = {}) {
    m_text->setText(text);
    m_text->setToolTip(text);
    m_button->setText(button);
    m_button->setVisible(!button.isEmpty());
    setVisible(!text.isEmpty());
  }

  Workspace& m_workspace;
  QLabel* m_text;
  QPushButton* m_button;
  QAction *m_measure, *m_stop;
  QString m_refused;  // hash of the schedule that cannot be measured; empty if it was not asked for
};

}  // namespace

QWidget* makeMeasureBar(Workspace& workspace) { return new MeasureBar(workspace); }

}  // namespace thallo::gui
