// Shows what the schedules would take if the data were larger or smaller, or the linear solves
// longer or shorter: a line each over the quantity, which a slider varies, and their times on other
// devices.
#pragma once

#include <memory>

#include <QComboBox>
#include <QLabel>
#include <QSlider>
#include <QTableWidget>

#include "gui/schedule/what_if_model.h"
#include "gui/widgets/plot.h"
#include "gui/widgets/shown_refresh.h"
#include "gui/workspace/workspace.h"

namespace thallo::gui {

class WhatIfPlot final : public Plot {
  Q_OBJECT

 public:
  explicit WhatIfPlot(QWidget* parent = nullptr);

  // Marks the point of that number.
  void show(std::shared_ptr<const WhatIfSnapshot> snapshot, std::size_t point);

 Q_SIGNALS:
  void pointChosen(int point);

 protected:
  void rebuild() override;

 private:
  std::shared_ptr<const WhatIfSnapshot> m_snapshot;
  std::size_t m_point = 0;
};

class WhatIfView final : public QWidget {
  Q_OBJECT

 public:
  explicit WhatIfView(Workspace& workspace, QWidget* parent = nullptr);

 private:
  void refresh();
  void showPoint();
  void fillPoint(const WhatIfSnapshot& snapshot, std::size_t point);
  void fillDevices(const WhatIfSnapshot& snapshot);

  Workspace& m_workspace;
  std::shared_ptr<const WhatIfSnapshot> m_shown;
  QComboBox* m_axis;
  QSlider* m_slider;
  QLabel *m_where, *m_notes;
  WhatIfPlot* m_plot;
  QTableWidget *m_times, *m_devices;
  ShownRefresh m_refresh;
};

}  // namespace thallo::gui
