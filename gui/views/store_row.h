// The store that the measurements of the space page are in, the device of those that are shown, and
// how many schedules there are.
#pragma once

#include <QComboBox>
#include <QLabel>
#include <QPushButton>

#include "gui/models/workspace.h"

namespace thallo::gui {

class StoreRow final : public QWidget {
  Q_OBJECT

 public:
  explicit StoreRow(Workspace& workspace, QWidget* parent = nullptr);

  // Asks for a file, and opens it.
  void openStore();

 private:
  void refreshStore();
  void refreshCounts();
  // The device that was measured, where the problem can be looked at on it; else null.
  const DeviceChoice* findMeasured() const;

  Workspace& m_workspace;
  QLabel* m_store;
  QComboBox* m_devices;
  QPushButton* m_lookThere;
  QLabel* m_counts;
};

}  // namespace thallo::gui
