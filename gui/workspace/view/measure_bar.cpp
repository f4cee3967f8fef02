#include "gui/workspace/view/measure_bar.h"

#include <utility>

#include <QHBoxLayout>

#include "gui/base/text.h"
#include "gui/widgets/layouts.h"

namespace thallo::gui {

MeasureBar::MeasureBar(Workspace& workspace, QWidget* parent)
    : QWidget(parent),
      m_workspace(workspace),
      m_text(named(new QLabel, "measureText")),
      m_button(named(new QPushButton, "measureButton")) {
  setObjectName("measureBar");
  auto* layout = new QHBoxLayout(this);
  layout->setContentsMargins(8, 0, 0, 0);
  // A long reason is cut, so that it does not widen the window. The tool tip has all of it.
  m_text->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  layout->addWidget(m_text, 1);
  layout->addWidget(m_button);
  connect(m_button, &QPushButton::clicked, this, &MeasureBar::press);
  connect(&workspace.space().measurement(), &MeasurementModel::changed, this, &MeasureBar::refresh);
  connect(&workspace.schedule(), &ScheduleModel::scheduleChanged, this, &MeasureBar::refresh);
  connect(&workspace.problems(), &ProblemModel::problemChanged, this, &MeasureBar::leaveRefusal);
  connect(&workspace.problems(), &ProblemModel::catalogChanged, this, &MeasureBar::refresh);
  refresh();
}

void MeasureBar::measure() {
  const auto& schedule = m_workspace.schedule().schedule().value;
  const bool isRefused =
      !m_workspace.space().measurement().isRunning() && !m_workspace.whyNotMeasured().isEmpty();
  m_refused = isRefused && schedule ? schedule->hash : QString();
  if (!isRefused) m_workspace.measure();
  refresh();
}

void MeasureBar::leaveRefusal() {
  m_refused.clear();
  refresh();
}

void MeasureBar::press() {
  if (m_workspace.space().measurement().isRunning()) return m_workspace.measure();
  const DeviceChoice* here = m_workspace.deviceToMeasureOn();
  if (!m_refused.isEmpty() && here != nullptr) m_workspace.lookOn(QString(here->id));
}

void MeasureBar::say(const QString& text, const QString& button) {
  m_text->setText(text);
  m_text->setToolTip(text);
  m_button->setText(button);
  m_button->setVisible(!button.isEmpty());
  setVisible(!text.isEmpty());
}

void MeasureBar::refresh() {
  const MeasurementModel& measurement = m_workspace.space().measurement();
  const auto& schedule = m_workspace.schedule().schedule().value;
  const QString hash = schedule ? schedule->hash : QString();
  if (measurement.isRunning())
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

}  // namespace thallo::gui
