#include "gui/space/view/store_row.h"

#include <QFileDialog>
#include <QFileInfo>

#include "gui/base/text.h"
#include "gui/widgets/elided.h"
#include "gui/widgets/layouts.h"
#include "gui/workspace/view/pins_button.h"
#include "gui/workspace/view/running_work.h"

namespace thallo::gui {

StoreRow::StoreRow(Workspace& workspace, QWidget* parent)
    : QWidget(parent),
      m_workspace(workspace),
      m_store(named(new QLabel, "storeName")),
      m_devices(named(new QComboBox, "storeDevices", tr("Device"))),
      m_lookThere(named(new QPushButton, "lookAtMeasuredDevice")),
      m_counts(named(new ElidedLabel, "spaceCounts")) {
  auto* open = named(new QPushButton(tr("Open a store …")), "openStore");
  open->setToolTip(
      tr("A file with measurements, of `thallo explore` or of this app; of a GPU that is "
         "elsewhere, too"));
  connect(open, &QPushButton::clicked, this, &StoreRow::openStore);
  m_devices->setToolTip(tr("The store has results of several devices, which stay apart"));
  m_devices->setSizeAdjustPolicy(QComboBox::AdjustToContents);
  connect(m_devices, &QComboBox::activated, this, [this](int index) {
    m_workspace.space().showDevice(m_devices->itemData(index).toString());
  });
  m_counts->setForegroundRole(QPalette::PlaceholderText);
  m_counts->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
  m_lookThere->setToolTip(
      tr("Opens the problem again with predicted times of the device that was measured"));
  connect(m_lookThere, &QPushButton::clicked, this, [this] {
    if (const DeviceChoice* device = findMeasured()) m_workspace.lookOn(QString(device->id));
  });
  setLayout(makeRow(
      {m_store, open, m_devices, m_lookThere, {m_counts, 1}, new PinsButton(workspace.pins())},
      {0, 0, 0, 0}, 6));
  SpaceModel& space = workspace.space();
  connect(&space, &SpaceModel::spaceChanged, this, &StoreRow::refreshStore);
  connect(&space, &SpaceModel::countsChanged, this, &StoreRow::refreshCounts);
  refreshStore();
  refreshCounts();
}

const DeviceChoice* StoreRow::findMeasured() const {
  const auto& catalog = m_workspace.problems().catalog().value;
  const auto& space = m_workspace.space().space().value;
  if (!catalog || !space) return nullptr;
  return catalog->findDevice(
      [&](const DeviceChoice& device) { return device.name == space->device.name; });
}

void StoreRow::openStore() {
  const QString file = QFileDialog::getOpenFileName(
      this, tr("Open a store"), QFileInfo(m_workspace.space().store()).path(),
      tr("Measurement stores (*.store);;All files (*)"));
  if (file.isEmpty()) return;
  SpaceModel& space = m_workspace.space();
  askToStopMeasuring(space, window(), [&space, file] { space.openStore(file); });
}

void StoreRow::refreshStore() {
  const SpaceModel& model = m_workspace.space();
  m_store->setText(QFileInfo(model.store()).fileName());
  m_store->setToolTip(tr("Measurements are kept in %1").arg(model.store()));
  const auto& space = model.space().value;
  m_devices->setVisible(space && space->devices.size() > 1);
  m_lookThere->setVisible(!model.isOfProblemsDevice() && findMeasured() != nullptr);
  if (!space) return;
  m_lookThere->setText(tr("Look at it on %1").arg(space->device.name));
  m_devices->clear();
  for (const SpaceDevice& device : space->devices) {
    m_devices->addItem(device.name, device.signature);
    if (device == space->device) m_devices->setCurrentIndex(m_devices->count() - 1);
  }
}

void StoreRow::refreshCounts() {
  const auto& counts = m_workspace.space().counts();
  if (counts.state == RemoteState::Busy) return m_counts->setText(tr("counting schedules …"));
  if (counts.state == RemoteState::Failed) {
    m_counts->setText(tr("not counted"));
    return m_counts->setToolTip(counts.error);
  }
  if (!counts.value) return m_counts->clear();
  QString text = tr("%1 schedules").arg(counts.value->total);
  QString details;
  QStringList factors;
  for (const SpaceCounts::Stage& stage : counts.value->stages) {
    factors.append(tr("%1 of %2").arg(stage.count, stage.name));
    details += stage.name + ": " + stage.count + '\n';
    for (const SpaceCounts::Site& site : stage.sites)
      details += "    " + site.name + "  " + site.count + '\n';
  }
  if (factors.size() > 1) text += " = " + factors.join(QStringLiteral(" × "));
  m_counts->setText(text);
  const QString& note = counts.value->note;
  m_counts->setToolTip(text + '\n' + (note.isEmpty() ? details.trimmed() : note));
}

}  // namespace thallo::gui
