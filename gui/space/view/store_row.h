// Shows the store of the space page's measurements, their device, and the number of schedules.
#pragma once

#include <QComboBox>
#include <QLabel>
#include <QPushButton>

#include "gui/workspace/workspace.h"

namespace thallo::gui {

class StoreRow final : public QWidget {
  Q_OBJECT

 public:
  explicit StoreRow(Workspace& workspace, QWidget* parent = nullptr);

  // Asks for a file and opens it.
  void openStore();

 private:
  void refreshStore();
  void refreshCounts();
  // Returns the device that was measured, if the problem can be viewed on it; else null.
  const DeviceChoice* findMeasured() const;

  Workspace& m_workspace;
  QLabel* m_store;
  QComboBox* m_devices;
  QPushButton* m_lookThere;
  QLabel* m_counts;
};

}  // namespace thallo::gui
